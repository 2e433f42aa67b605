// Connections: what a person lets a program do that asked by OAuth, and the end of it.
import { ApiError } from '@chauffeur/contract/errors';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/agents';
import type { AccountCaller, Context } from '../../context.ts';
import { cutPage, readCursor, writeCursor } from '../../kernel/cursor.ts';
import { transact } from '../../kernel/db.ts';
import { newId } from '../../kernel/ids.ts';
import * as connections from './connections.sql.ts';
import { gameIdOf } from './keys.ts';

type Connection = OutputOf<typeof contract.connectAgent>;

const PAGE_SIZE = 50;

/** Throws 4040. */
export async function getAgentClient(
  ctx: Context,
  _caller: AccountCaller,
  input: InputOf<typeof contract.getAgentClient>,
): Promise<OutputOf<typeof contract.getAgentClient>> {
  return requireClient(ctx, input.client_id);
}

async function requireClient(ctx: Context, clientId: string): Promise<connections.ClientRow> {
  const found = await connections.findClient(ctx.db, clientId);
  if (found === undefined)
    throw new ApiError(4040, 'client_id: no such program is registered here; let it register again.');
  return found;
}

/**
 * Makes the connection that the tokens of this consent will name. It gives no access by itself: tokens are made only once the person’s
 * consent has reached the OAuth server. Throws 4040.
 */
export async function connectAgent(
  ctx: Context,
  caller: AccountCaller,
  input: InputOf<typeof contract.connectAgent>,
): Promise<Connection> {
  const { client_id: clientId } = await requireClient(ctx, input.client_id);
  const gameId = await gameIdOf(ctx, caller, input.game);
  const userId = caller.user.id;
  const now = ctx.clock.now();
  const connectionId = newId(now.getTime());
  await transact(ctx.db, async (tx) => {
    await connections.endConnections(tx, userId, { clientId }, now);
    const made = { connectionId, userId, clientId, mayWrite: input.may_write, gameId, connectedAt: now };
    await connections.insertConnection(tx, made);
  });
  return recordOf(await connections.readConnection(ctx.db, connectionId));
}

export async function listAgentConnections(
  ctx: Context,
  caller: AccountCaller,
  { cursor, limit = PAGE_SIZE }: InputOf<typeof contract.listAgentConnections>,
): Promise<OutputOf<typeof contract.listAgentConnections>> {
  const list = ['agent-connections', caller.user.id];
  const [before = null] = cursor === undefined ? [] : readCursor(list, cursor, ['uuid']);
  const found = await connections.listConnections(ctx.db, caller.user.id, { before, limit: limit + 1 });
  const { page, last } = cutPage(found, limit);
  return {
    connections: page.map(recordOf),
    next_cursor: last === null ? null : writeCursor(list, [last.connection_id]),
  };
}

/** Throws 4040, also for one that was ended before. */
export async function disconnectAgent(
  ctx: Context,
  caller: AccountCaller,
  { connection_id: connectionId }: InputOf<typeof contract.disconnectAgent>,
): Promise<OutputOf<typeof contract.disconnectAgent>> {
  const ended = await transact(ctx.db, (tx) =>
    connections.endConnections(tx, caller.user.id, { connectionId }, ctx.clock.now()),
  );
  if (ended === 0) throw new ApiError(4040, 'connection_id: no such program is connected.');
  return { disconnected: true };
}

function recordOf(row: connections.ConnectionRow): Connection {
  return {
    ...row,
    connected_at: row.connected_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
  };
}
