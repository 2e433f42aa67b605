// Connections: what a person allows a program to do after an OAuth request, and disconnecting it.
import { errors } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/agents';
import type { Context } from '../../context.ts';
import { transact } from '../../kernel/database/db.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import { handle } from '../../request/route.ts';
import * as connections from './connections.sql.ts';
import { gameIdOf } from './keys.ts';

type Connection = OutputOf<typeof contract.connectAgent>;

const PAGE_SIZE = 50;

/** Throws `notFound`. */
export const getAgentClient = handle(contract.getAgentClient, async (ctx, { input }) => {
  return requireClient(ctx, input.client_id);
});

async function requireClient(ctx: Context, clientId: string): Promise<connections.ClientRow> {
  const client = await connections.findClient(ctx.db, clientId);
  if (client === undefined)
    throw errors.notFound('client_id: this program is not registered. Connect again from the program.');
  return client;
}

/**
 * Creates the connection that the tokens of this consent will name. It gives no access by itself: tokens are issued
 * only after the consent reaches the OAuth server. Throws `notFound`.
 */
export const connectAgent = handle(contract.connectAgent, async (ctx, { caller, input }) => {
  const { client_id: clientId } = await requireClient(ctx, input.client_id);
  const gameId = await gameIdOf(ctx, caller, input.game);
  const userId = caller.user.id;
  const now = ctx.clock.now();
  const connectionId = newId(now.getTime());
  await transact(ctx.db, async (tx) => {
    await connections.endConnections(tx, userId, { clientId }, now);
    const { signInMethod } = caller;
    const connection = {
      connectionId,
      userId,
      clientId,
      mayWrite: input.may_write,
      gameId,
      signInMethod,
      connectedAt: now,
    };
    await connections.insertConnection(tx, connection);
  });
  return recordOf(await connections.readConnection(ctx.db, connectionId));
});

export const listAgentConnections = handle(
  contract.listAgentConnections,
  async (ctx, { caller, input: { cursor, limit = PAGE_SIZE } }) => {
    const list = ['agent-connections', caller.user.id];
    const [before = null] = cursor === undefined ? [] : readCursor(list, cursor, ['uuid']);
    const rows = await connections.listConnections(ctx.db, caller.user.id, { before, limit: limit + 1 });
    const { page, last } = cutPage(rows, limit);
    return {
      connections: page.map(recordOf),
      next_cursor: last === null ? null : writeCursor(list, [last.connection_id]),
    };
  },
);

/** Throws `notFound`, also for a connection that has already ended. */
export const disconnectAgent = handle(
  contract.disconnectAgent,
  async (ctx, { caller, input: { connection_id: connectionId } }) => {
    const ended = await transact(ctx.db, (tx) =>
      connections.endConnections(tx, caller.user.id, { connectionId }, ctx.clock.now()),
    );
    if (ended === 0) throw errors.notFound('connection_id: this program is not connected.');
    return { disconnected: true };
  },
);

function recordOf(row: connections.ConnectionRow): Connection {
  return {
    ...row,
    connected_at: row.connected_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
  };
}
