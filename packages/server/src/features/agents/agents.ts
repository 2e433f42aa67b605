// Programs that act for people: who calls with a key or a connection, and the record of what was called.
import { hash } from 'node:crypto';
import { AGENT_KEY_PREFIX } from '@chauffeur/contract/operations/agents';
import type { AccountCaller, Context } from '../../context.ts';
import { type Db, type Tx, transact } from '../../kernel/db.ts';
import { newId } from '../../kernel/ids.ts';
import { insertCall } from './calls.sql.ts';
import * as codes from './codes.sql.ts';
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

/** Remembers which connection an authorization code is for. */
export async function recordCode(ctx: Context, connectionId: string, code: string): Promise<void> {
  await codes.insertCode(ctx.db, connectionId, hashOf(code));
}

/** Notes that a code was exchanged. False when it was tried a second time meanwhile: then the connection has been ended. */
export async function noteCodeUse(ctx: Context, code: string): Promise<boolean> {
  return !(await endIfTwice(ctx, code, codes.markUsed));
}

/** Notes that a code was refused. If it was exchanged before, that ends the connection that it gave. */
export async function noteCodeFailure(ctx: Context, code: string): Promise<void> {
  await endIfTwice(ctx, code, codes.markRefused);
}

/** Whichever of two requests is second sees what the first one wrote: both lock the row of the code. */
async function endIfTwice(ctx: Context, code: string, mark: typeof codes.markUsed): Promise<boolean> {
  return transact(ctx.db, async (tx) => {
    const marked = await mark(tx, hashOf(code), ctx.clock.now());
    if (marked === undefined || !marked.twice) return false;
    await connections.endConnections(tx, marked.user_id, { connectionId: marked.connection_id }, ctx.clock.now());
    return true;
  });
}

type AgentCounts = { readonly keys: number; readonly connections: number };

/** How many personal keys and connections of the person work. */
export async function countAgents(db: Db, userId: string, now: Date): Promise<AgentCounts> {
  const [live, open] = await Promise.all([
    keys.countLiveKeys(db, userId, now),
    connections.countConnections(db, userId),
  ]);
  return { keys: live, connections: open };
}

/** Revokes all personal keys of the person, ends all connections, or both. Answers how many worked until now. */
export async function revokeAgents(
  tx: Tx,
  userId: string,
  now: Date,
  which: { keys: boolean; connections: boolean },
): Promise<AgentCounts> {
  return {
    keys: which.keys ? await keys.revokeKeys(tx, userId, now) : 0,
    connections: which.connections ? await connections.endConnections(tx, userId, 'all', now) : 0,
  };
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
