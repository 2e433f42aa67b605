// Lists and reads crash groups for developers, and the groups that are similar to one.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { GroupStatus } from '@chauffeur/contract/operations/crash-groups';
import * as contract from '@chauffeur/contract/operations/crash-groups';
import { listSimilarGroups as similarGroups } from '@chauffeur/contract/operations/crash-stacks';
import { sql } from 'kysely';
import { DAY, utcDayOf } from '../../../kernel/clock.ts';
import { type Db, rows } from '../../../kernel/database/db.ts';
import { findNames } from '../../../people/accounts/accounts.sql.ts';
import { requireMember } from '../../../people/game-access/game-access.ts';
import { cutPage, readCursor, writeCursor } from '../../../request/cursor.ts';
import { onReplica, type Reader } from '../../../request/read-replica.ts';
import { handle } from '../../../request/route.ts';
import { shownTitle } from '../groups/state.sql.ts';
import * as groups from './group-list.sql.ts';
import { findGroup, unknownGroup } from './group-list.sql.ts';
import { groupOf, trendOf, unpackCounts } from './group-response.ts';
import { groupConditions } from './query.ts';
import { countStops, explainStops } from './walk-stops.ts';

type GroupDetail = Omit<OutputOf<typeof contract.getCrashGroup>, 'walk_stops'>;

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
  const {
    build_id: buildId,
    since_build: sinceBuild,
    status,
    kind = 'crash',
    query,
    sort,
    cursor,
    limit = PAGE_SIZE,
  } = input;
  const given = [buildId, sinceBuild, status, input.kind, query, sort].map((value) => value ?? null);
  const list = ['groups', game.game_id, ...given];
  const [position = '', groupId = ''] = cursor === undefined ? [] : readCursor(list, cursor, ['microseconds', 'uuid']);
  const before = cursor === undefined ? null : { position, groupId };
  return onReplica(ctx, { caller, gameId: game.game_id }, async (reader) => {
    const scope = { db: reader.db, gameId: game.game_id, caller, now: ctx.clock.now() };
    const queried = query === undefined ? { conditions: [], inOrder: [] } : await groupConditions(scope, query);
    const filters = { buildId, sinceBuild, status, kind, ...queried, order: sort ?? 'last_seen' };
    const matches = await groups.listGroups(reader.db, game.game_id, filters, { before, limit: limit + 1 });
    const { page, last } = cutPage(matches, limit);
    return {
      groups: await withCounts(reader, game.game_id, page, MAX_BUILDS_IN_LIST),
      next_cursor: last === null ? null : writeCursor(list, [last.position, last.group_id]),
    };
  });
});

/** Throws `invalid` for a wrong query. */
export const countCrashGroups = handle(contract.countCrashGroups, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return onReplica(ctx, { caller, gameId: game.game_id }, async ({ db }) => {
    const scope = { db, gameId: game.game_id, caller, now: ctx.clock.now() };
    const { conditions, inOrder } = await groupConditions(scope, input.query ?? '');
    if (inOrder.length > 0) return { groups: null, reports: null };
    const filters = { kind: input.kind ?? 'crash', conditions };
    return groups.countMatching(db, game.game_id, filters, LIMITS.crashGroupsCounted);
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
  const { group, stops } = await onReplica(ctx, { caller, gameId: game.game_id }, async (reader) => {
    const group = await readGroup(reader, game.game_id, input.group_id);
    const family = [group.group_id, ...group.merged.map(({ group_id }) => group_id)];
    return { group, stops: await countStops(reader.db, game.game_id, family) };
  });
  return { ...group, walk_stops: await explainStops(ctx, game.game_id, stops) };
});

/** Throws `notFound` if there is no such group. */
export async function readGroup(ctx: Reader, gameId: string, groupId: string): Promise<GroupDetail> {
  const row = await groups.findGroup(ctx.db, gameId, groupId);
  if (row === undefined) throw unknownGroup();
  const family = [row.group_id, ...row.members];
  const [[group], counts, related] = await Promise.all([
    withCounts(ctx, gameId, [row], MAX_BUILDS),
    groups.countGroupByVersion(ctx.db, gameId, family, utcDayOf(firstDayShown(ctx))),
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

export const listSimilarGroups = handle(similarGroups, async (ctx, { caller, input: { uid, group_id: groupId } }) => {
  const { game } = await requireMember(ctx, caller, uid);
  const similar = await onReplica(ctx, { caller, gameId: game.game_id }, async ({ db }) => {
    const group = await findGroup(db, game.game_id, groupId);
    if (group === undefined) throw unknownGroup();
    return findSimilar(db, game.game_id, [group.group_id, ...group.members]);
  });
  return { groups: similar.map(({ last_seen, ...group }) => ({ ...group, last_seen: last_seen.toISOString() })) };
});

export type SimilarGroupRow = {
  group_id: string;
  title: string;
  reason: string | null;
  status: GroupStatus;
  count: number;
  last_seen: Date;
  shared: string[];
};

/** A function may be in all groups, so only the newest groups with it are compared. */
const MAX_PER_FUNCTION = 200;

/** The groups that share functions with one of these, those with the most shared functions first. */
export function findSimilar(db: Db, gameId: string, groupIds: readonly string[]): Promise<SimilarGroupRow[]> {
  return rows(
    db,
    sql<SimilarGroupRow>`with sharing as (
        select coalesce(merged_into, crash_groups.group_id) as group_id, array_agg(distinct function order by function) as shared
        from crash_group_functions own cross join lateral (
          select group_id from crash_group_functions same
          where same.game_id = ${gameId} and same.function = own.function and not same.group_id = any(${groupIds}::uuid[])
          order by group_id desc limit ${MAX_PER_FUNCTION}
        ) other join crash_groups on crash_groups.game_id = ${gameId} and crash_groups.group_id = other.group_id
        where own.game_id = ${gameId} and own.group_id = any(${groupIds}::uuid[])
        group by 1
      )
      select group_id, ${shownTitle} as title, reason, status, count, last_seen, shared
      from sharing join crash_groups using (group_id) where game_id = ${gameId}
      order by cardinality(shared) desc, last_seen desc limit ${LIMITS.similarGroups}`,
  );
}
