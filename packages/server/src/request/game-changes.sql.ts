// The SQL of changes to games that open pages show.
import { sql } from 'kysely';
import { changed, type Db, rows } from '../kernel/database/db.ts';

export type GameChange = { readonly game_id: string; readonly topic: string; readonly version: string };

/** The games with these slugs, also with former ones. */
export function findGamesBySlug(db: Db, slugs: readonly string[]): Promise<{ game_id: string; slug: string }[]> {
  return rows(
    db,
    sql<{ game_id: string; slug: string }>`select game_id, slug from game_slugs where slug = any(${slugs})`,
  );
}

export async function insertGameChanges(db: Db, changes: readonly Omit<GameChange, 'version'>[]): Promise<void> {
  await changed(
    db,
    // The rows are ordered, so that two processes can't wait for each other.
    sql`insert into game_changes (game_id, topic, version, changed_at)
      select game_id, topic, 1, now()
      from unnest(${changes.map(({ game_id }) => game_id)}::uuid[], ${changes.map(({ topic }) => topic)}::text[])
        as noted (game_id, topic)
      order by game_id, topic
      on conflict (game_id, topic)
        do update set version = game_changes.version + 1, changed_at = excluded.changed_at`,
  );
}

export function listGameChanges(db: Db, seconds: number): Promise<GameChange[]> {
  return rows(
    db,
    sql<GameChange>`select game_id, topic, version::text as version from game_changes
      where changed_at > now() - make_interval(secs => ${seconds})`,
  );
}

/** Open pages learn of a change within seconds, so a row is of no use after that. */
export async function forgetChanges(db: Db): Promise<void> {
  await changed(db, sql`delete from game_changes where changed_at < now() - interval '1 hour'`);
}
