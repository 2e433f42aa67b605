// Lists crash groups for developers.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/crash-groups';
import { DAY, utcDayOf } from '../../../kernel/clock.ts';
import { findNames } from '../../../people/accounts/accounts.sql.ts';
import { requireMember } from '../../../people/game-access/game-access.ts';
import { cutPage, readCursor, writeCursor } from '../../../request/cursor.ts';
import { type Reader, readReplica } from '../../../request/read-replica.ts';
import { handle } from '../../../request/route.ts';
import { unpackCounts } from './group-counts.ts';
import * as groups from './group-list.sql.ts';
import { unknownGroup } from './not-found.ts';
import { groupConditions } from './query.ts';
import { groupOf } from './record.ts';
import { trendOf } from './trend.ts';

type GroupDetail = OutputOf<typeof contract.getCrashGroup>;

const PAGE_SIZE = 25;
const DAYS_SHOWN = 30;
/**
 * In a list, each group only has the builds with the most reports. Pages of groups with hundreds of builds would be too
 * large.
 */
const MAX_BUILDS_IN_LIST = 10;
const MAX_BUILDS = 200;

/**
 * A group that gets a report while a reader pages through the list moves to the front: it is missing from later pages,
 * but no group is shown twice.
 */
export const listCrashGroups = handle(contract.listCrashGroups, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { build_id: buildId, since_build: sinceBuild, status, query, sort, cursor, limit = PAGE_SIZE } = input;
  const given = [buildId, sinceBuild, status, query, sort].map((value) => value ?? null);
  const list = ['groups', game.game_id, ...given];
  const [place = '', groupId = ''] = cursor === undefined ? [] : readCursor(list, cursor, ['microseconds', 'uuid']);
  const before = cursor === undefined ? null : { place, groupId };
  return readReplica(ctx, { caller, gameId: game.game_id }, async (reader) => {
    const scope = { db: reader.db, gameId: game.game_id, caller, now: ctx.clock.now() };
    const queried = query === undefined ? { conditions: [], inOrder: [] } : await groupConditions(scope, query);
    const filters = { buildId, sinceBuild, status, ...queried, order: sort ?? 'last_seen' };
    const matches = await groups.listGroups(reader.db, game.game_id, filters, { before, limit: limit + 1 });
    const { page, last } = cutPage(matches, limit);
    return {
      groups: await withCounts(reader, game.game_id, page, MAX_BUILDS_IN_LIST),
      next_cursor: last === null ? null : writeCursor(list, [last.place, last.group_id]),
    };
  });
});

/** Throws `invalid` for a wrong query. */
export const countCrashGroups = handle(contract.countCrashGroups, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return readReplica(ctx, { caller, gameId: game.game_id }, async ({ db }) => {
    const scope = { db, gameId: game.game_id, caller, now: ctx.clock.now() };
    const { conditions, inOrder } = await groupConditions(scope, input.query ?? '');
    if (inOrder.length > 0) return { groups: null, reports: null };
    return groups.countMatching(db, game.game_id, conditions, LIMITS.crashGroupsCounted);
  });
});

async function withCounts(ctx: Reader, gameId: string, rows: readonly groups.GroupRow[], maxBuilds: number) {
  const firstDay = firstDayShown(ctx);
  const ids = rows.flatMap(({ group_id, members }) => [group_id, ...members]);
  const packed = new Map(
    (await groups.countGroups(ctx.db, gameId, ids, utcDayOf(firstDay))).map((each) => [each.group_id, each]),
  );
  const counts = new Map(
    rows.map(({ group_id, members }) => {
      const family = [group_id, ...members].flatMap((id) => packed.get(id) ?? []);
      return [group_id, unpackCounts(family, firstDay, maxBuilds)];
    }),
  );
  const builds = new Set([...counts.values()].flatMap((count) => count.builds.map(({ build_id }) => build_id)));
  const buildNames = await groups.findBuildNames(ctx.db, gameId, [...builds]);
  const assignees = rows.flatMap(({ assignee_id }) => assignee_id ?? []);
  const names = await findNames(ctx.db, [...new Set(assignees)]);
  const sampleIds = rows.flatMap(({ sample_report_id }) => sample_report_id ?? []);
  const samples = new Map(
    (await groups.readSamples(ctx.db, gameId, sampleIds)).map((sample) => [sample.report_id, sample]),
  );
  return rows.map((row) =>
    groupOf(row, {
      counts: counts.get(row.group_id)!,
      buildNames,
      names,
      sample: samples.get(row.sample_report_id ?? ''),
    }),
  );
}

function firstDayShown({ clock }: Reader): Date {
  return new Date(clock.now().getTime() - (DAYS_SHOWN - 1) * DAY);
}

export const getCrashGroup = handle(contract.getCrashGroup, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return readReplica(ctx, { caller, gameId: game.game_id }, (reader) =>
    readGroup(reader, game.game_id, input.group_id),
  );
});

/** Throws `notFound` if there is no such group. */
export async function readGroup(ctx: Reader, gameId: string, groupId: string): Promise<GroupDetail> {
  const row = await groups.findGroup(ctx.db, gameId, groupId);
  if (row === undefined) throw unknownGroup();
  const family = [row.group_id, ...row.members];
  const [[group], counts, related] = await Promise.all([
    withCounts(ctx, gameId, [row], MAX_BUILDS),
    groups.countByVersion(ctx.db, gameId, family, utcDayOf(firstDayShown(ctx))),
    groups.findRelated(ctx.db, gameId, family),
  ]);
  return { ...group!, explanation: row.explanation, trend: trendOf(counts), ...relationsOf(row, related) };
}

type Relations = Pick<GroupDetail, 'merged' | 'split_off' | 'split_from'>;

function relationsOf(row: groups.GroupRow, related: readonly groups.RelatedRow[]): Relations {
  const { split_from: from, split_function: name } = row;
  return {
    merged: related
      .filter(({ merged_into }) => merged_into === row.group_id)
      .map(({ group_id, signature, count, last_seen }) => ({
        group_id,
        signature,
        count,
        last_seen: last_seen.toISOString(),
      })),
    // A part that is merged into another group is shown there.
    split_off: related
      .filter(({ split_function, merged_into }) => split_function !== null && merged_into === null)
      .map(({ group_id, split_function, count }) => ({ group_id, function: split_function!, count })),
    split_from: from === null || name === null ? null : { group_id: from, function: name },
  };
}
