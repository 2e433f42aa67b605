// Agent activity, for the owner of a game and for the person whose agents made the calls.
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/agents';
import { timeOfId } from '../../kernel/secrets/ids.ts';
import { requireMember } from '../../people/games/games.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import { handle } from '../../request/route.ts';
import * as calls from './calls.sql.ts';

type CallRecord = OutputOf<typeof contract.listAgentCalls>['calls'][number];

const PAGE_SIZE = 50;

/** Throws `notAllowed` for anyone but owners, and `notFound`. */
export const listAgentCalls = handle(contract.listAgentCalls, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return readPage(
    ['agent-calls', game.game_id],
    input,
    (page) => calls.listCalls(ctx.db, game.game_id, page),
    recordOf,
  );
});

export const listOwnAgentCalls = handle(contract.listOwnAgentCalls, async (ctx, { caller: { user }, input }) => {
  return readPage(
    ['own-agent-calls', user.id],
    input,
    (page) => calls.listCallsFor(ctx.db, user.id, page),
    (row) => ({ ...recordOf(row), game: row.game }),
  );
});

async function readPage<Row extends calls.CallRow, Item>(
  name: readonly string[],
  { failed, cursor, limit = PAGE_SIZE }: InputOf<typeof contract.listOwnAgentCalls>,
  read: (page: calls.CallsPage) => Promise<Row[]>,
  write: (row: Row) => Item,
): Promise<{ calls: Item[]; next_cursor: string | null }> {
  const list = [...name, failed ?? null];
  const [before = null] = cursor === undefined ? [] : readCursor(list, cursor, ['uuid']);
  const { page, last } = cutPage(await read({ failedOnly: failed === 'only', before, limit: limit + 1 }), limit);
  return { calls: page.map(write), next_cursor: last === null ? null : writeCursor(list, [last.call_id]) };
}

function recordOf(row: calls.CallRow): CallRecord {
  return {
    call_id: row.call_id,
    at: new Date(timeOfId(row.call_id)).toISOString(),
    user: row.user_name,
    agent: { kind: row.agent_kind, id: row.agent_id, name: row.agent_name },
    tool: row.tool,
    outcome: row.outcome,
    milliseconds: row.milliseconds,
  };
}
