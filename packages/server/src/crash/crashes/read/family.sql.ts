// The SQL that finds the groups that are merged with a group.
import { sql } from 'kysely';
import { type Db, rows } from '../../../kernel/database/db.ts';

/** The group, the group that it is merged into, and all others in that group; empty if there is no such group. */
export async function findFamily(db: Db, gameId: string, groupId: string): Promise<string[]> {
  const family = await rows(
    db,
    sql<{ group_id: string }>`with head as materialized (
        select coalesce(merged_into, group_id) as id from crash_groups where game_id = ${gameId} and group_id = ${groupId}
      )
      select id as group_id from head
      union all
      select group_id from crash_groups where game_id = ${gameId} and merged_into = (select id from head)`,
  );
  return family.map(({ group_id }) => group_id);
}
