// Agent activity, for the owner of a game and for the person whose agents made the calls, with its SQL.

import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/agents';
import { sql } from 'kysely';
import type { Agent } from '../../context.ts';
import { changed, type Db, rows } from '../../kernel/database/db.ts';
import { isUuid, timeOfId } from '../../kernel/secrets/ids.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import { handle } from '../../request/route.ts';

type CallRecord = OutputOf<typeof contract.listAgentCalls>['calls'][number];

const PAGE_SIZE = 50;

/** Throws `notAllowed` for anyone but owners, and `notFound`. */
export const listAgentCalls = handle(contract.listAgentCalls, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return readPage(['agent-calls', game.game_id], input, (page) => listCalls(ctx.db, game.game_id, page), recordOf);
});

export const listOwnAgentCalls = handle(contract.listOwnAgentCalls, async (ctx, { caller: { user }, input }) => {
  return readPage(
    ['own-agent-calls', user.id],
    input,
    (page) => listCallsFor(ctx.db, user.id, page),
    (row) => ({ ...recordOf(row), game: row.game }),
  );
});

async function readPage<Row extends CallRow, Item>(
  name: readonly string[],
  { failed, cursor, limit = PAGE_SIZE }: InputOf<typeof contract.listOwnAgentCalls>,
  read: (page: CallsPage) => Promise<Row[]>,
  write: (row: Row) => Item,
): Promise<{ calls: Item[]; next_cursor: string | null }> {
  const list = [...name, failed ?? null];
  const [before = null] = cursor === undefined ? [] : readCursor(list, cursor, ['uuid']);
  const { page, last } = cutPage(await read({ failedOnly: failed === 'only', before, limit: limit + 1 }), limit);
  return { calls: page.map(write), next_cursor: last === null ? null : writeCursor(list, [last.call_id]) };
}

function recordOf(row: CallRow): CallRecord {
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

export type NewCall = {
  callId: string;
  userId: string;
  agent: Agent;
  tool: string;
  game: string | undefined;
  outcome: number;
  milliseconds: number;
};

export type CallRow = {
  call_id: string;
  user_name: string;
  agent_kind: 'key' | 'connection';
  agent_id: string;
  agent_name: string;
  tool: string;
  outcome: number;
  milliseconds: number;
};

export type OwnCallRow = CallRow & { game: { game_uid: string; slug: string; name: string } | null };

/** The condition that the person is a member, on rows of `games`. */
const isMember = (userId: string) =>
  sql`exists (select from game_members where game_members.game_id = games.game_id and game_members.user_id = ${userId})`;

/**
 * Stores the game only for its members, so that others can neither fill its activity log nor find out that it exists.
 */
export async function insertCall(db: Db, call: NewCall): Promise<void> {
  const { callId, userId, agent, tool, game, outcome, milliseconds } = call;
  const named =
    game === undefined
      ? sql`false`
      : isUuid(game)
        ? sql`game_id = ${game}`
        : sql`game_id in (select game_id from game_slugs where slug = ${game})`;
  await changed(
    db,
    sql`insert into agent_calls (call_id, user_id, game_id, agent_kind, agent_id, agent_name, tool, outcome, milliseconds)
      values (${callId}, ${userId}, (select game_id from games where ${named} and ${isMember(userId)}
          and (${agent.gameIds}::uuid[] is null or game_id = any(${agent.gameIds}::uuid[]))),
        ${agent.kind}, ${agent.id}, ${agent.name}, ${tool}, ${outcome}, ${milliseconds})`,
  );
}

export type CallsPage = { failedOnly: boolean; before: string | null; limit: number };

const columns = sql`call_id, users.name as user_name, agent_kind, agent_id, agent_name, tool, outcome, milliseconds`;

/** Selects the page after `before`, newest first. */
const pageOf = ({ failedOnly, before, limit }: CallsPage) =>
  sql`and (${before}::uuid is null or call_id < ${before}) and (${!failedOnly} or outcome not in (0, 4214))
    order by call_id desc limit ${limit}`;

/** The calls about a game. */
export function listCalls(db: Db, gameId: string, page: CallsPage): Promise<CallRow[]> {
  return rows(
    db,
    sql<CallRow>`select ${columns} from agent_calls join users on users.id = agent_calls.user_id
      where game_id = ${gameId} ${pageOf(page)}`,
  );
}

/** All calls for a person. Games that the person is no longer a member of are not named. */
export function listCallsFor(db: Db, userId: string, page: CallsPage): Promise<OwnCallRow[]> {
  return rows(
    db,
    sql<OwnCallRow>`select ${columns}, (select jsonb_build_object('game_uid', games.game_id, 'slug', games.slug, 'name', games.name)
        from games where games.game_id = agent_calls.game_id and ${isMember(userId)}) as game
      from agent_calls join users on users.id = agent_calls.user_id
      where agent_calls.user_id = ${userId} ${pageOf(page)}`,
  );
}

/** Deletes up to `limit` of the oldest calls before the id. Returns their number. */
export function forgetCalls(db: Db, before: string, limit: number): Promise<number> {
  return changed(
    db,
    sql`delete from agent_calls where call_id in
      (select call_id from agent_calls where call_id < ${before} order by call_id limit ${limit})`,
  );
}
