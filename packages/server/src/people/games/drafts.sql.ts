// The SQL of drafts of listings.
import { sql } from 'kysely';
import { changed, type Db, row, type Tx } from '../../kernel/database/db.ts';
import type { Facts } from './fact-rules.ts';
import type { Texts } from './games.sql.ts';

/** A draft without videos keeps the videos of the game. */
type Listing = { name: string } & Texts & Omit<Facts, 'videos'> & Partial<Pick<Facts, 'videos'>>;
export type DraftRow = { listing: Listing; saved_by: string; saved_at: Date };

export function findDraft(db: Db, gameId: string): Promise<DraftRow | undefined> {
  return row(db, sql<DraftRow>`select listing, saved_by, saved_at from listing_drafts where game_id = ${gameId}`);
}

type NewDraft = { readonly listing: Listing; readonly by: string; readonly at: Date };

export async function upsertDraft(tx: Tx, gameId: string, { listing, by, at }: NewDraft): Promise<void> {
  await changed(
    tx,
    sql`insert into listing_drafts (game_id, listing, saved_by, saved_at)
      values (${gameId}, ${JSON.stringify(listing)}::jsonb, ${by}, ${at})
      on conflict (game_id) do update set listing = excluded.listing, saved_by = excluded.saved_by, saved_at = excluded.saved_at`,
  );
}

export async function deleteDraft(tx: Tx, gameId: string): Promise<void> {
  await changed(tx, sql`delete from listing_drafts where game_id = ${gameId}`);
}
