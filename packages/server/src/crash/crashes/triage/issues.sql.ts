// The SQL that keeps two issues about the same group from being created at once.
import { sql } from 'kysely';
import { changed, type Db } from '../../../kernel/database/db.ts';

/** False if the group has an issue, or one has been in creation since `before`. */
export async function claimIssue(
  db: Db,
  gameId: string,
  groupId: string,
  { now, before }: { now: Date; before: Date },
): Promise<boolean> {
  const count = await changed(
    db,
    sql`update crash_groups set issue_claimed_at = ${now}
      where game_id = ${gameId} and group_id = (
          select coalesce(merged_into, group_id) from crash_groups where game_id = ${gameId} and group_id = ${groupId})
        and issue_url is null and (issue_claimed_at is null or issue_claimed_at < ${before})`,
  );
  return count > 0;
}

export async function endClaim(db: Db, gameId: string, groupId: string): Promise<void> {
  await changed(
    db,
    sql`update crash_groups set issue_claimed_at = null
      where game_id = ${gameId} and group_id = (
        select coalesce(merged_into, group_id) from crash_groups where game_id = ${gameId} and group_id = ${groupId})`,
  );
}
