// The SQL of screenshots of bug tickets.
import { sql } from 'kysely';
import { changed, type Db, row, rows, type Tx } from '../../kernel/database/db.ts';
import type { PreviewResult } from '../../ship/media/media.ts';

export type ScreenshotRef = { readonly gameId: string; readonly bugId: string; readonly screenshotId: string };

/** Whether the game has the ticket, and the screenshot has not arrived. */
export async function isExpected(db: Db, { gameId, bugId, screenshotId }: ScreenshotRef): Promise<boolean> {
  const found = await row(
    db,
    sql`select from bug_tickets where game_id = ${gameId} and bug_id = ${bugId} and not exists (
      select from bug_screenshots where game_id = ${gameId} and screenshot_id = ${screenshotId})`,
  );
  return found !== undefined;
}

/** The image as it was sent. The name is empty if the sender gave it none. */
export type SentImage = { readonly key: string; readonly size: number; readonly name: string };

/** Returns false if the screenshot was added before. */
export async function insertScreenshot(tx: Tx, ref: ScreenshotRef, { key, size, name }: SentImage): Promise<boolean> {
  const count = await changed(
    tx,
    sql`insert into bug_screenshots (game_id, screenshot_id, bug_id, original_key, original_size, name)
      values (${ref.gameId}, ${ref.screenshotId}, ${ref.bugId}, ${key}, ${size}, ${name}) on conflict do nothing`,
  );
  return count === 1;
}

/** The key of a screenshot that is not encoded yet. */
export async function findOriginal(db: Db, gameId: string, screenshotId: string): Promise<string | undefined> {
  const found = await row(
    db,
    sql<{ original_key: string | null }>`select original_key from bug_screenshots
      where game_id = ${gameId} and screenshot_id = ${screenshotId}`,
  );
  return found?.original_key ?? undefined;
}

/** Returns false if the ticket was deleted, or the image was recorded meanwhile. */
export async function recordImage(
  db: Db,
  { gameId, screenshotId, source }: { gameId: string; screenshotId: string; source: string },
  key: string | null,
  result: PreviewResult,
): Promise<boolean> {
  const { width, height, size } = 'refused' in result ? { width: null, height: null, size: null } : result;
  const problem = 'refused' in result ? result.refused : null;
  const count = await changed(
    db,
    sql`update bug_screenshots set original_key = null, blob_key = ${key}, width = ${width}, height = ${height},
        size = ${size}, problem = ${problem}
      where game_id = ${gameId} and screenshot_id = ${screenshotId} and original_key = ${source}`,
  );
  return count === 1;
}

export type ScreenshotRow = {
  name: string;
  screenshot_id: string;
  width: number | null;
  height: number | null;
  problem: string | null;
};

export function listScreenshots(db: Db, gameId: string, bugId: string): Promise<ScreenshotRow[]> {
  return rows(
    db,
    sql<ScreenshotRow>`select screenshot_id, name, width, height, problem from bug_screenshots
      where game_id = ${gameId} and bug_id = ${bugId} order by screenshot_id`,
  );
}

type ImageRow = { blob_key: string | null; size: number | null };

export function findImage(db: Db, gameId: string, bugId: string, screenshotId: string): Promise<ImageRow | undefined> {
  return row(
    db,
    sql<ImageRow>`select blob_key, size from bug_screenshots
      where game_id = ${gameId} and bug_id = ${bugId} and screenshot_id = ${screenshotId}`,
  );
}

export async function existingKeys(db: Db, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await rows(
    db,
    sql<{ key: string }>`select listed.key from unnest(${keys}::text[]) as listed (key)
      where exists (select from bug_screenshots where blob_key = listed.key or original_key = listed.key)
        or exists (select from bug_attachments where blob_key = listed.key)`,
  );
  return new Set(found.map(({ key }) => key));
}
