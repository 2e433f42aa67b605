// The SQL of facts about games: links, videos, languages, system requirements and content notes.
import { sql } from 'kysely';
import { changed, type Db, row, type Tx } from '../../kernel/database/db.ts';
import type { Facts } from './fact-rules.ts';

/** Undefined if none were ever given. */
export function findFacts(db: Db, gameId: string): Promise<Facts | undefined> {
  return row(
    db,
    sql<Facts>`select links, videos, languages, requirements, content_notes from game_facts where game_id = ${gameId}`,
  );
}

export async function upsertFacts(tx: Tx, gameId: string, facts: Facts): Promise<void> {
  const { links, videos, languages, requirements, content_notes } = facts;
  await changed(
    tx,
    sql`insert into game_facts (game_id, links, videos, languages, requirements, content_notes)
      values (${gameId}, ${JSON.stringify(links)}::jsonb, ${videos}::text[], ${languages}::text[], ${JSON.stringify(requirements)}::jsonb,
        ${content_notes}::text[])
      on conflict (game_id) do update set links = excluded.links, videos = excluded.videos, languages = excluded.languages,
        requirements = excluded.requirements, content_notes = excluded.content_notes`,
  );
}
