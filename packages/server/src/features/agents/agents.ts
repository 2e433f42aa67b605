// Programs that act for people: who calls with a key or a connection, and the record of what was called.
import { hash } from 'node:crypto';
import { AGENT_KEY_PREFIX } from '@chauffeur/contract/operations/agents';
import type { AccountCaller, Context } from '../../context.ts';
import { newId } from '../../kernel/ids.ts';
import { insertCall } from './calls.sql.ts';
import * as connections from './connections.sql.ts';
import * as keys from './keys.sql.ts';

/** Whether a bearer token has the form of a personal key. */
export function isAgentKey(token: string): boolean {
  return token.startsWith(AGENT_KEY_PREFIX);
}

/** The hash under which a key is kept: with 186 bits in it, it cannot be guessed from a plain SHA-256. */
export function hashOf(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** Who calls with a personal key; null for one that is unknown, revoked or expired. */
export async function callerOfKey(ctx: Context, key: string): Promise<AccountCaller | null> {
  const now = ctx.clock.now();
  const found = await keys.findKey(ctx.db, hashOf(key), now);
  if (found === undefined) return null;
  if (found.stale) await keys.touchKey(ctx.db, found.agent_id, now);
  return callerOf('key', found);
}

/** Who calls by a connection, which an access token names; null for one that was ended, or never made for this person. */
export async function callerOfConnection(
  ctx: Context,
  token: { connectionId: string; userId: string; clientId: string; mayWrite: boolean },
): Promise<AccountCaller | null> {
  const now = ctx.clock.now();
  const found = await connections.findConnection(ctx.db, token, now);
  if (found === undefined) return null;
  if (found.stale) await connections.touchConnection(ctx.db, found.agent_id, now);
  return callerOf('connection', { ...found, may_write: found.may_write && token.mayWrite });
}

/** Whether the key or connection of this id works and may change things. */
export async function mayAgentWrite(db: Context['db'], agentId: string, now: Date): Promise<boolean> {
  return (await keys.isWritingKey(db, agentId, now)) || (await connections.isWritingConnection(db, agentId));
}

export type FoundAgent = {
  agent_id: string;
  name: string;
  may_write: boolean;
  game_id: string | null;
  user: AccountCaller['user'];
  /** Last used so long ago that it is worth writing down again. */
  stale: boolean;
};

function callerOf(kind: 'key' | 'connection', found: FoundAgent): AccountCaller {
  const { agent_id: id, name, game_id: gameId, may_write: mayWrite, user } = found;
  return { kind: 'account', user, agent: { kind, id, name, gameId, mayWrite } };
}

/** The connection that the person’s consent to this client is about; the newest. */
export function currentConnection(
  db: Context['db'],
  consent: { userId: string; clientId: string },
): Promise<string | undefined> {
  return connections.currentConnection(db, consent);
}

export type Call = {
  readonly tool: string;
  /** The game as the caller named it; undefined where the tool is about none. */
  readonly game: string | undefined;
  /** The code of the error, or 4214 for what waits; 0 for neither. */
  readonly outcome: number;
  readonly milliseconds: number;
};

/** Writes down one call, in one statement. It shows up at the game that it named when its caller may see that. */
export async function recordCall(ctx: Context, { user, agent }: AccountCaller, call: Call): Promise<void> {
  if (agent === undefined) return;
  await insertCall(ctx.db, { callId: newId(ctx.clock.now().getTime()), userId: user.id, agent, ...call });
}
