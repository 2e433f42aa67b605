// The SQL of deleting a game: counting what belongs to it, and hiding it. tenant-tables.sql.ts deletes its rows later.
import { sql } from 'kysely';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';

export type Holdings = {
  builds: number;
  files: number;
  bytes: number;
  images: number;
  videos: number;
  symbols: number;
  crash_reports: number;
  bug_tickets: number;
  events: number;
  devices: number;
  beta_members: number;
  admins: number;
  upload_sessions: number;
};

/** Counts what belongs to a game. Devices are counted if they sent events on `since` or later. */
export function countHoldings(db: Db, gameId: string, now: Date, since: string): Promise<Holdings> {
  const ofGame = sql`game_id = ${gameId}`;
  return onlyRow(
    db,
    sql<Holdings>`select
      (select count(*) from builds where ${ofGame}) as builds,
      (select count(*) from files where ${ofGame}) as files,
      (select coalesce(sum(size), 0)::bigint from files where ${ofGame}) as bytes,
      (select count(*) from media where ${ofGame}) as images,
      (select count(*) from videos where ${ofGame}) as videos,
      (select count(*) from symbols where ${ofGame}) as symbols,
      (select count(*) from crash_reports where ${ofGame}) as crash_reports,
      (select count(*) from bug_tickets where ${ofGame}) as bug_tickets,
      (select coalesce(sum(count), 0)::bigint from event_hours where ${ofGame}) as events,
      (select coalesce(sum(devices), 0)::bigint from event_device_days where ${ofGame} and day >= ${since}::date) as devices,
      (select count(*) from beta_members where ${ofGame}) as beta_members,
      (select count(*) from game_admins where ${ofGame}) as admins,
      (select count(*) from upload_sessions where ${ofGame} and finished_at is null and expires_at > ${now}) as upload_sessions`,
  );
}

/** Keeps only the id of the game and the time of the deletion, and hides it from the view `games`. */
export async function markDeleted(tx: Tx, gameId: string, now: Date): Promise<void> {
  await changed(
    tx,
    sql`update all_games set deleted_at = ${now}, owner_id = null, slug = null, name = '', tagline = '', description = '',
        tags = '{}', visibility = 'draft', published_at = null
      where game_id = ${gameId}`,
  );
}

/** Revokes API tokens and the keys and connections of agents that are limited to this game and no other. */
export async function revokeAgentsOfGame(tx: Tx, gameId: string, now: Date): Promise<void> {
  for (const table of ['agent_keys', 'agent_connections'])
    await changed(
      tx,
      sql`update ${sql.table(table)} set revoked_at = ${now} where game_id = ${gameId} and revoked_at is null`,
    );
  await changed(
    tx,
    sql`update api_tokens set revoked_at = ${now} where revoked_at is null
      and token_id in (select token_id from api_token_games where game_id = ${gameId})
      and not exists (select from api_token_games join games using (game_id)
        where api_token_games.token_id = api_tokens.token_id and game_id <> ${gameId})`,
  );
}

/** Reserves the slug of a game, and slugs that it had while it was public, for its former owner until `expiresAt`. */
export async function reserveSlugs(
  tx: Tx,
  { gameId, slug }: { gameId: string; slug: string },
  userId: string,
  expiresAt: Date,
): Promise<void> {
  await changed(
    tx,
    sql`insert into reserved_slugs (slug, user_id, expires_at)
      select slug, ${userId}, ${expiresAt}::timestamptz from (
        select ${slug}::text as slug
        union all select slug from former_slugs where game_id = ${gameId} and reserved_until is not null
      ) as led
      on conflict (slug) do update set user_id = excluded.user_id, expires_at = excluded.expires_at`,
  );
}

export async function forgetFormerSlugs(tx: Tx, gameId: string): Promise<void> {
  await changed(tx, sql`delete from former_slugs where game_id = ${gameId}`);
}

export async function freeSlugs(db: Db, now: Date): Promise<void> {
  await changed(db, sql`delete from reserved_slugs where expires_at <= ${now}`);
}

export async function isDeleted(db: Db, gameId: string): Promise<boolean> {
  return (await row(db, sql`select from all_games where game_id = ${gameId} and deleted_at is not null`)) !== undefined;
}

/** Games that were deleted at `before` or earlier and still have their last row. */
export async function listDeleted(db: Db, before: Date): Promise<string[]> {
  const games = await rows(
    db,
    sql<{ game_id: string }>`select game_id from all_games where deleted_at <= ${before} order by deleted_at`,
  );
  return games.map(({ game_id }) => game_id);
}

export async function deleteLastRow(db: Db, gameId: string): Promise<void> {
  await changed(db, sql`delete from all_games where game_id = ${gameId} and deleted_at is not null`);
}

/** Deletes the rate limit counters of the game, whose column is named `subject`. */
export async function deleteCounters(db: Db, gameId: string): Promise<void> {
  await changed(db, sql`delete from rate_counters where subject = ${gameId}`);
}
