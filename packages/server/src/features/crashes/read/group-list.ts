// Crash groups as developers see them: listed by when they were seen last, resolved as fixed in a version, opened again.
import { ApiError } from '@chauffeur/contract/errors';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/crashes';
import type { AccountCaller, Context } from '../../../context.ts';
import { DAY, utcDayOf } from '../../../kernel/clock.ts';
import { cutPage, readCursor, writeCursor } from '../../../kernel/cursor.ts';
import { requireMember } from '../../games/games.ts';
import { NO_COUNTS, unpackCounts } from './group-counts.ts';
import * as groups from './group-list.sql.ts';
import { groupOf } from './record.ts';
import { trendOf } from './trend.ts';

type GroupDetail = OutputOf<typeof contract.getCrashGroup>;
type GroupInput = { uid: string; group_id: string };

const PAGE_SIZE = 25;
const DAYS_SHOWN = 30;
/** Of the builds of a group, those with the most reports: a hundred groups with all of theirs would be long to read and to send. */
const MOST_BUILDS_IN_LIST = 10;
const MOST_BUILDS = 200;

/**
 * A group that gets a report while somebody turns the pages goes to the front of the list: later pages do not show it, and nothing is
 * shown twice.
 */
export async function listCrashGroups(
  ctx: Context,
  caller: AccountCaller,
  input: InputOf<typeof contract.listCrashGroups>,
): Promise<OutputOf<typeof contract.listCrashGroups>> {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { build_id: buildId, since_build: sinceBuild, status, cursor, limit = PAGE_SIZE } = input;
  const list = ['groups', game.game_id, ...[buildId, sinceBuild, status].map((value) => value ?? null)];
  const [place = '', groupId = ''] = cursor === undefined ? [] : readCursor(list, cursor, ['microseconds', 'uuid']);
  const before = cursor === undefined ? null : { place, groupId };
  const filters = { buildId, sinceBuild, status };
  const found = await groups.listGroups(ctx.db, game.game_id, filters, { before, limit: limit + 1 });
  const { page, last } = cutPage(found, limit);
  return {
    groups: await withCounts(ctx, game.game_id, page, MOST_BUILDS_IN_LIST),
    next_cursor: last === null ? null : writeCursor(list, [last.place, last.group_id]),
  };
}

async function withCounts(ctx: Context, gameId: string, rows: readonly groups.GroupRow[], mostBuilds: number) {
  const firstDay = firstDayShown(ctx);
  const ids = rows.map(({ group_id }) => group_id);
  const found = await groups.countGroups(ctx.db, gameId, ids, utcDayOf(firstDay));
  const counts = new Map(found.map((packed) => [packed.group_id, unpackCounts(packed, firstDay, mostBuilds)]));
  const builds = new Set([...counts.values()].flatMap((count) => count.builds.map(({ build_id }) => build_id)));
  const versions = await groups.findVersions(ctx.db, gameId, [...builds]);
  return rows.map((row) => groupOf(row, counts.get(row.group_id) ?? NO_COUNTS, versions));
}

function firstDayShown({ clock }: Context): Date {
  return new Date(clock.now().getTime() - (DAYS_SHOWN - 1) * DAY);
}

export async function getCrashGroup(ctx: Context, caller: AccountCaller, input: GroupInput): Promise<GroupDetail> {
  const { game } = await requireMember(ctx, caller, input.uid);
  return readGroup(ctx, game.game_id, input.group_id);
}

async function readGroup(ctx: Context, gameId: string, groupId: string): Promise<GroupDetail> {
  const found = await groups.findGroup(ctx.db, gameId, groupId);
  if (found === undefined) throw unknownGroup();
  const [[group], counts] = await Promise.all([
    withCounts(ctx, gameId, [found], MOST_BUILDS),
    groups.countByVersion(ctx.db, gameId, groupId, utcDayOf(firstDayShown(ctx))),
  ]);
  return { ...group!, explanation: found.explanation, trend: trendOf(counts) };
}

/** A group that was resolved is opened again by a report of a later build, which is then its regression; or by hand, which is none. */
export async function updateCrashGroup(
  ctx: Context,
  caller: AccountCaller,
  input: InputOf<typeof contract.updateCrashGroup>,
): Promise<GroupDetail> {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { group_id: groupId, status, fixed_in_version: fixedIn } = input;
  if (status === 'open' && fixedIn !== undefined)
    throw new ApiError(4002, 'fixed_in_version: an open group is not fixed; send status resolved with it.');
  const isThere =
    status === 'open'
      ? await groups.reopenGroup(ctx.db, game.game_id, groupId)
      : await groups.resolveGroup(ctx.db, game.game_id, groupId, { fixedIn: fixedIn ?? null, who: caller.user.name });
  if (!isThere) throw unknownGroup();
  return readGroup(ctx, game.game_id, groupId);
}

export function unknownGroup(): ApiError {
  return new ApiError(4040, 'group_id: this game has no such group; its reports may have moved to another.');
}
