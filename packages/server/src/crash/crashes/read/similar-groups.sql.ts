// The SQL that finds groups whose stacks start with the same functions of the game.
import { LIMITS } from '@chauffeur/contract/limits';
import type { GroupStatus } from '@chauffeur/contract/operations/crash-groups';
import { sql } from 'kysely';
import { type Db, rows } from '../../../kernel/database/db.ts';
import { shownTitle } from '../groups/state.sql.ts';

export type SimilarRow = {
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
export function findSimilar(db: Db, gameId: string, groupIds: readonly string[]): Promise<SimilarRow[]> {
  return rows(
    db,
    sql<SimilarRow>`with sharing as (
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
