// The SQL of following games, and of the releases that followers get an email about.
import { sql } from 'kysely';
import { changed, type Db, row, rows, type Tx } from '../../kernel/database/db.ts';
import { offered } from '../../ship/files/files.ts';

type Who = { readonly userId: string | null; readonly email: string | null };
type NewFollow = Who & {
  readonly gameId: string;
  readonly followId: string;
  readonly followedAt: Date;
  /** The language of emails about releases. */
  readonly language: string;
};

/** Adds a follow, unless the person follows the game already. */
export async function insertFollow(
  tx: Tx,
  { gameId, followId, userId, email, followedAt, language }: NewFollow,
): Promise<void> {
  await changed(
    tx,
    sql`insert into follows (game_id, follow_id, user_id, email, followed_at, language)
      values (${gameId}, ${followId}, ${userId}, ${email}, ${followedAt}, ${language}) on conflict do nothing`,
  );
}

export async function deleteFollowOf(db: Db, gameId: string, { userId, email }: Who): Promise<void> {
  await changed(db, sql`delete from follows where game_id = ${gameId} and (user_id = ${userId} or email = ${email})`);
}

export async function deleteFollow(db: Db, followId: string): Promise<void> {
  await changed(db, sql`delete from follows where follow_id = ${followId}`);
}

export async function isFollowing(db: Db, gameId: string, userId: string): Promise<boolean> {
  const follow = await row(db, sql`select from follows where game_id = ${gameId} and user_id = ${userId}`);
  return follow !== undefined;
}

/** The follow of an address, with or without an account. */
export function findFollowOf(db: Db, gameId: string, address: string): Promise<{ follow_id: string } | undefined> {
  return row(
    db,
    sql<{ follow_id: string }>`select follow_id from follows where game_id = ${gameId}
      and (email = ${address} or user_id = (select id from users where lower(email) = ${address} and email_verified))`,
  );
}

export async function findGameOf(db: Db, followId: string): Promise<string | undefined> {
  const follow = await row(db, sql<{ game_id: string }>`select game_id from follows where follow_id = ${followId}`);
  return follow?.game_id;
}

export async function findVerifiedUser(db: Db, address: string): Promise<string | null> {
  const user = await row(
    db,
    sql<{ id: string }>`select id from users where lower(email) = ${address} and email_verified`,
  );
  return user?.id ?? null;
}

export type DueRelease = { game_id: string; version: string; released_at: Date };
type Window = { readonly since: Date; readonly until: Date; readonly now: Date };

/**
 * Versions that stable got for the first time between `since` and `until`, still offers at `now`, and whose followers
 * didn't get an email yet.
 */
export function listDueReleases(db: Db, { since, until, now }: Window): Promise<DueRelease[]> {
  return rows(
    db,
    sql<DueRelease>`with recent as (
        select moves.game_id, version, min(moved_at) as released_at
        from channel_moves as moves join builds using (game_id, build_id) join games using (game_id)
        where moves.channel = 'stable' and moves.build_id is distinct from moves.previous_build_id and moved_at > ${since}
          and moves.action in ('advance', 'promote') and moves.expires_at is null and visibility <> 'draft'
          and exists (select from follows where follows.game_id = moves.game_id)
        group by moves.game_id, version having min(moved_at) <= ${until}
      )
      select game_id, version, released_at from recent
      where not exists (select from announced_releases as announced
          where announced.game_id = recent.game_id and announced.version = recent.version)
        and not exists (select from channel_moves as earlier join builds using (game_id, build_id)
          where earlier.game_id = recent.game_id and earlier.channel = 'stable' and earlier.moved_at <= ${since}
            and builds.version = recent.version and earlier.action in ('advance', 'promote') and earlier.expires_at is null)
        and exists (select from channel_pointers as pointers
          join channel_moves as moves on moves.game_id = pointers.game_id and moves.move_id = pointers.move_id
          join builds on builds.game_id = moves.game_id and builds.build_id = moves.build_id
          join files on files.game_id = moves.game_id and files.build_id = moves.build_id and ${offered}
          where pointers.game_id = recent.game_id and pointers.channel = 'stable' and builds.version = recent.version
            and (moves.expires_at is null or moves.expires_at > ${now}))
      order by released_at limit 1000`,
  );
}

/** Returns false if it was announced in the meantime. */
export async function insertAnnounced(tx: Tx, { game_id, version }: DueRelease, now: Date): Promise<boolean> {
  const inserted = await changed(
    tx,
    sql`insert into announced_releases (game_id, version, announced_at) values (${game_id}, ${version}, ${now})
      on conflict do nothing`,
  );
  return inserted > 0;
}

/** Deletes the marks of versions that are too old to be announced. */
export async function deleteAnnounced(db: Db, before: Date): Promise<void> {
  await changed(db, sql`delete from announced_releases where announced_at < ${before}`);
}

type Release = { readonly gameId: string; readonly version: string; readonly releasedAt: Date };
export type FollowerRow = { follow_id: string; address: string; language: string };

/** How many versions are remembered for a follower. A version is announced within a day, in which few are released. */
const MAX_EMAILED_VERSIONS = 20;

/**
 * Marks up to `limit` people who followed the game before the release as emailed, and returns them. Accounts that are
 * disabled or lost their verified address get none.
 */
export function takeFollowers(tx: Tx, { gameId, version, releasedAt }: Release, limit: number): Promise<FollowerRow[]> {
  return rows(
    tx,
    sql<FollowerRow>`with due as (
        select follow_id, coalesce(follows.email, users.email) as address, language
        from follows left join users on users.id = user_id
        where game_id = ${gameId} and followed_at < ${releasedAt}
          and ${version} <> all(mailed_versions)
          and (follows.email is not null or (email_verified and disabled_at is null))
        order by follow_id limit ${limit} for update of follows
      )
      update follows set
        mailed_versions = mailed_versions[greatest(1, cardinality(mailed_versions) - ${MAX_EMAILED_VERSIONS - 2}):] || ${version}::text
      from due
      where follows.game_id = ${gameId} and follows.follow_id = due.follow_id
      returning follows.follow_id, due.address, due.language`,
  );
}
