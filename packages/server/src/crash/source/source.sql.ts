// The SQL of where the source code of games can be read.
import type { SourceLinks } from '@chauffeur/contract/source-link';
import { sql } from 'kysely';
import { changed, type Db, row } from '../../kernel/database/db.ts';

export function findSettings(db: Db, gameId: string): Promise<SourceLinks | undefined> {
  return row(db, sql<SourceLinks>`select url_template, path_prefixes from source_settings where game_id = ${gameId}`);
}

export async function upsertSettings(db: Db, gameId: string, settings: SourceLinks): Promise<void> {
  const { url_template, path_prefixes } = settings;
  await changed(
    db,
    sql`insert into source_settings (game_id, url_template, path_prefixes)
      values (${gameId}, ${url_template}, ${path_prefixes}::text[])
      on conflict (game_id) do update set url_template = excluded.url_template, path_prefixes = excluded.path_prefixes`,
  );
}

export async function deleteSettings(db: Db, gameId: string): Promise<void> {
  await changed(db, sql`delete from source_settings where game_id = ${gameId}`);
}
