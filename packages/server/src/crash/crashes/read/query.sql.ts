// The SQL of what queries refer to.
import { type RawBuilder, sql } from 'kysely';
import { type Db, onlyRow, rows } from '../../../kernel/database/db.ts';

export type BuildName = { build_id: string; version: string; arch: string };

/** The builds of a game, deleted ones included. */
export function listBuildNames(db: Db, gameId: string): Promise<BuildName[]> {
  return rows(db, sql<BuildName>`select build_id, version, arch from build_names where game_id = ${gameId}`);
}

/** SQL of the ids of the groups that meet a condition on `crash_groups`, and of those merged into them. */
export function idsOfGroups(gameId: string, condition: RawBuilder<unknown>, hasMerges: boolean): RawBuilder<unknown> {
  if (!hasMerges)
    return sql`select group_id from (select *, '{}'::uuid[] as members from crash_groups where game_id = ${gameId}) as crash_groups
      where ${condition}`;
  return sql`select member.group_id from crash_groups member
    where member.game_id = ${gameId} and coalesce(member.merged_into, member.group_id) in (
      select group_id from (
        select *, array(select other.group_id from crash_groups other
          where other.game_id = ${gameId} and other.merged_into = heads.group_id) as members
        from crash_groups heads where heads.game_id = ${gameId} and heads.merged_into is null
      ) as crash_groups where ${condition})`;
}

export async function listGroupIds(
  db: Db,
  gameId: string,
  condition: RawBuilder<unknown>,
  { hasMerges, limit }: { hasMerges: boolean; limit: number },
): Promise<string[]> {
  const found = await rows(db, sql<{ group_id: string }>`${idsOfGroups(gameId, condition, hasMerges)} limit ${limit}`);
  return found.map(({ group_id }) => group_id);
}

export async function hasMerges(db: Db, gameId: string): Promise<boolean> {
  const { exists } = await onlyRow(
    db,
    sql<{ exists: boolean }>`select exists (
      select from crash_groups where game_id = ${gameId} and merged_into is not null) as exists`,
  );
  return exists;
}
