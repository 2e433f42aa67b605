// Removes every report of a deleted game together with its files.
import type { Context } from '../../../context.ts';
import { dropBlobs } from './blobs.ts';
import { deleteReports, listFiles } from './remove-game.sql.ts';

/** A few seconds of work, after which a process that is to stop may stop. */
const BATCH = 200;

/**
 * Files first, so that a removal that is cut short finds the rest by the rows that remain. A file that arrived in between is reported by the
 * deletion of its row. Safe to repeat.
 */
export async function removeReportsOfGame(ctx: Context, gameId: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const batch = await listFiles(ctx.db, gameId, BATCH);
    if (batch.length === 0) return;
    await Promise.all(batch.map((files) => dropBlobs(ctx, files)));
    const deleted = await deleteReports(
      ctx.db,
      gameId,
      batch.map(({ report_id }) => report_id),
    );
    await Promise.all(deleted.map((files) => dropBlobs(ctx, files)));
  }
}
