// The SQL of issue trackers.
import type { TrackerKind } from '@chauffeur/contract/operations/issue-tracker';
import { sql } from 'kysely';
import { changed, type Db, row } from '../../kernel/database/db.ts';

export type TrackerRow = {
  kind: TrackerKind;
  base_url: string | null;
  project: string | null;
  url_template: string | null;
  token: Buffer | null;
};

export function findTracker(db: Db, gameId: string): Promise<TrackerRow | undefined> {
  return row(
    db,
    sql<TrackerRow>`select kind, base_url, project, url_template, token from issue_trackers where game_id = ${gameId}`,
  );
}

export async function upsertTracker(db: Db, gameId: string, tracker: TrackerRow): Promise<void> {
  const { kind, base_url, project, url_template, token } = tracker;
  await changed(
    db,
    sql`insert into issue_trackers (game_id, kind, base_url, project, url_template, token)
      values (${gameId}, ${kind}, ${base_url}, ${project}, ${url_template}, ${token})
      on conflict (game_id) do update set kind = excluded.kind, base_url = excluded.base_url,
        project = excluded.project, url_template = excluded.url_template, token = excluded.token`,
  );
}

export async function deleteTracker(db: Db, gameId: string): Promise<boolean> {
  return (await changed(db, sql`delete from issue_trackers where game_id = ${gameId}`)) > 0;
}
