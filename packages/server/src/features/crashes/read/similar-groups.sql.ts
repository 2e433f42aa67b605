// The SQL that finds groups whose stacks start with the same functions of the game.
import { LIMITS } from '@chauffeur/contract/limits';
import { sql } from 'kysely';
import { type Db, rows } from '../../../kernel/database/db.ts';
import type { GroupStatus } from './group-list.sql.ts';

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

/** The groups that share functions with this group, those with the most shared functions first. */
export function findSimilar(db: Db, gameId: string, groupId: string): Promise<SimilarRow[]> {
  return rows(
    db,
    sql<SimilarRow>`with sharing as (
        select other.group_id, array_agg(function order by function) as shared
        from crash_group_functions own cross join lateral (
          select group_id from crash_group_functions same
          where same.game_id = ${gameId} and same.function = own.function and same.group_id <> ${groupId}
          order by group_id desc limit ${MAX_PER_FUNCTION}
        ) other
        where own.game_id = ${gameId} and own.group_id = ${groupId}
        group by other.group_id
      )
      select group_id, title, reason, status, count, last_seen, shared
      from sharing join crash_groups using (group_id) where game_id = ${gameId}
      order by cardinality(shared) desc, last_seen desc limit ${LIMITS.similarGroups}`,
  );
}
