// Agents, which are programs that act for people: identifies callers by key or connection, and records their calls.

import { AGENT_KEY_PREFIX } from '@chauffeur/contract/operations/agents';
import { asSignInMethod } from '@chauffeur/contract/required-sign-in';
import type { AccountCaller, Context } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import { type Db, type Tx, transact } from '../../kernel/database/db.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { firstIdAt, hashSecret, newId } from '../../kernel/secrets/ids.ts';
import { forgetCalls, insertCall } from './calls.ts';
import * as codes from './connections.sql.ts';
import * as connections from './connections.sql.ts';
import { forgetConnections } from './connections.sql.ts';
import * as keys from './keys.sql.ts';
import { forgetKeys } from './keys.sql.ts';

/** Whether a bearer token has the form of a personal key. */
export function isAgentKey(token: string): boolean {
  return token.startsWith(AGENT_KEY_PREFIX);
}

/** The caller with a personal key; null if the key is unknown, revoked or expired. */
export async function callerOfKey(ctx: Context, key: string): Promise<AccountCaller | null> {
  const now = ctx.clock.now();
  const agent = await keys.findAgentKey(ctx.db, hashSecret(key), now);
  if (agent === undefined) return null;
  if (agent.stale) await keys.touchAgentKey(ctx.db, agent.agent_id, now);
  return callerOf('key', agent);
}

/** The caller of the connection that an access token names; null if it has ended or belongs to another person. */
export async function callerOfConnection(
  ctx: Context,
  token: { connectionId: string; userId: string; clientId: string; mayWrite: boolean },
): Promise<AccountCaller | null> {
  const now = ctx.clock.now();
  const agent = await connections.findConnection(ctx.db, token, now);
  if (agent === undefined) return null;
  if (agent.stale) await connections.touchConnection(ctx.db, agent.agent_id, now);
  return callerOf('connection', { ...agent, may_write: agent.may_write && token.mayWrite });
}

/** Whether the key or connection with this id is active and may write. */
export async function mayAgentWrite(db: Context['db'], agentId: string, now: Date): Promise<boolean> {
  return (await keys.isWritingKey(db, agentId, now)) || (await connections.isWritingConnection(db, agentId));
}

function callerOf(kind: 'key' | 'connection', agent: keys.AgentRow): AccountCaller {
  const { agent_id: id, name, game_id: gameId, may_write: mayWrite, user, sign_in_method } = agent;
  const signInMethod = asSignInMethod(sign_in_method);
  return {
    kind: 'account',
    user,
    signInMethod,
    agent: { kind, id, name, gameIds: gameId === null ? null : [gameId], mayWrite },
  };
}

/** Stores the connection of an authorization code. */
export async function saveCode(ctx: Context, connectionId: string, code: string): Promise<void> {
  await codes.insertCode(ctx.db, connectionId, hashSecret(code));
}

/** Marks a code as exchanged. Returns false if it was sent twice, which ends the connection. */
export async function noteCodeUse(ctx: Context, code: string): Promise<boolean> {
  return !(await endIfReused(ctx, code, codes.markUsed));
}

/** Marks a code as refused. If it was exchanged before, this ends its connection. */
export async function noteCodeFailure(ctx: Context, code: string): Promise<void> {
  await endIfReused(ctx, code, codes.markRefused);
}

/** Both requests lock the row of the code, so the second one sees what the first one wrote. */
async function endIfReused(ctx: Context, code: string, mark: typeof codes.markUsed): Promise<boolean> {
  return transact(ctx.db, async (tx) => {
    const marked = await mark(tx, hashSecret(code), ctx.clock.now());
    if (marked === undefined || !marked.reused) return false;
    await connections.endConnections(tx, marked.user_id, { connectionId: marked.connection_id }, ctx.clock.now());
    return true;
  });
}

type AgentCounts = { readonly keys: number; readonly connections: number };

/** The numbers of active personal keys and connections of the person. */
export async function countAgents(db: Db, userId: string, now: Date): Promise<AgentCounts> {
  const [activeKeys, activeConnections] = await Promise.all([
    keys.countLiveKeys(db, userId, now),
    connections.countConnections(db, userId),
  ]);
  return { keys: activeKeys, connections: activeConnections };
}

/** Revokes all personal keys of the person, ends all connections, or both. Returns how many were active. */
export async function revokeAgents(
  tx: Tx,
  userId: string,
  now: Date,
  selection: { keys: boolean; connections: boolean },
): Promise<AgentCounts> {
  return {
    keys: selection.keys ? await keys.revokeKeysOf(tx, userId, now) : 0,
    connections: selection.connections ? await connections.endConnections(tx, userId, 'all', now) : 0,
  };
}

export type AgentCall = {
  readonly tool: string;
  /** The game as the caller named it; undefined if the tool is not about a game. */
  readonly game: string | undefined;
  /** The error code, `approvalNeeded` for a pending approval, or 0 for a success. */
  readonly outcome: number;
  readonly milliseconds: number;
};

/** Records one call in a single statement. It is listed for the named game only if the caller may see that game. */
export async function logCall(ctx: Context, { user, agent }: AccountCaller, call: AgentCall): Promise<void> {
  if (agent === undefined) return;
  await insertCall(ctx.db, { callId: newId(ctx.clock.now().getTime()), userId: user.id, agent, ...call });
}

/** Deletes old agent activity, ended keys and connections, and programs that never connected. */
export const agentRetentionJob = defineJob(
  'agents:retention',
  { attempts: 5, cron: '53 3 * * *', lane: 'long', deletesOld: true },
  forgetAgents,
);

/** How long ended keys and connections stay listed. */
const ENDED_DAYS = 30;
/** The number of calls that a transaction deletes, which should be short. */
const BATCH_SIZE = 10_000;

export async function forgetAgents(ctx: Context): Promise<void> {
  const now = ctx.clock.now().getTime();
  const ended = new Date(now - ENDED_DAYS * DAY);
  await forgetKeys(ctx.db, ended);
  await forgetConnections(ctx.db, ended);
  const { agentCallDays } = ctx.config;
  if (agentCallDays === 0) return;
  const before = firstIdAt(now - agentCallDays * DAY);
  while ((await forgetCalls(ctx.db, before, BATCH_SIZE)) === BATCH_SIZE);
}
