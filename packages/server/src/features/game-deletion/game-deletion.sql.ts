// The SQL of deleting a game: what belongs to it, and taking it out of sight. The rows go later, by tenant-tables.sql.ts.
import { sql } from 'kysely';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/db.ts';

export type Holdings = {
  builds: number;
  files: number;
  bytes: number;
  images: number;
  symbols: number;
  crash_reports: number;
  bug_tickets: number;
  events: number;
  devices: number;
  beta_members: number;
  admins: number;
  upload_sessions: number;
};

/** Devices are those that sent events on `since` or later. */
export function countHoldings(db: Db, gameId: string, now: Date, since: string): Promise<Holdings> {
  const ofGame = sql`game_id = ${gameId}`;
  return onlyRow(
    db,
    sql<Holdings>`select
      (select count(*) from builds where ${ofGame}) as builds,
      (select count(*) from files where ${ofGame}) as files,
      (select coalesce(sum(size), 0)::bigint from files where ${ofGame}) as bytes,
      (select count(*) from media where ${ofGame}) as images,
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

/** Leaves nothing of the game but its id and the time: no query of the view `games` finds it from here on. */
export async function markDeleted(tx: Tx, gameId: string, now: Date): Promise<void> {
  await changed(
    tx,
    sql`update all_games set deleted_at = ${now}, owner_id = null, slug = null, name = '', tagline = '', description = '',
        tags = '{}', visibility = 'draft', published_at = null
      where game_id = ${gameId}`,
  );
}

/** Ends the tokens of agents that reach this game and no other. */
export async function revokeAgents(tx: Tx, gameId: string, now: Date): Promise<void> {
  for (const table of ['agent_keys', 'agent_connections'])
    await changed(
      tx,
      sql`update ${sql.table(table)} set revoked_at = ${now} where game_id = ${gameId} and revoked_at is null`,
    );
}

/** Keeps the slug for its former owner until then. */
export async function reserveSlug(tx: Tx, slug: string, userId: string, expiresAt: Date): Promise<void> {
  await changed(
    tx,
    sql`insert into reserved_slugs (slug, user_id, expires_at) values (${slug}, ${userId}, ${expiresAt})
      on conflict (slug) do update set user_id = excluded.user_id, expires_at = excluded.expires_at`,
  );
}

export async function freeSlugs(db: Db, now: Date): Promise<void> {
  await changed(db, sql`delete from reserved_slugs where expires_at <= ${now}`);
}

export async function isMarked(db: Db, gameId: string): Promise<boolean> {
  return (await row(db, sql`select from all_games where game_id = ${gameId} and deleted_at is not null`)) !== undefined;
}

/** Games that were deleted at `before` or earlier and whose last row is still there. */
export async function listMarked(db: Db, before: Date): Promise<string[]> {
  const found = await rows(
    db,
    sql<{ game_id: string }>`select game_id from all_games where deleted_at <= ${before} order by deleted_at`,
  );
  return found.map(({ game_id }) => game_id);
}

export async function deleteMarked(db: Db, gameId: string): Promise<void> {
  await changed(db, sql`delete from all_games where game_id = ${gameId} and deleted_at is not null`);
}

/** Counters of limits, which name the game as any other subject. */
export async function deleteCounters(db: Db, gameId: string): Promise<void> {
  await changed(db, sql`delete from rate_counters where subject = ${gameId}`);
}
