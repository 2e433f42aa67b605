// Deletes leftovers of symbols: texts that no build uses anymore, and blobs of interrupted uploads and compilations.
import type { Context } from '../../context.ts';
import { sweepOrphans } from '../../kernel/blobs/sweep.ts';
import { transact } from '../../kernel/database/db.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { SYMBOLS_PREFIX } from './blob-key.ts';
import { startCounting } from './contents.job.ts';
import { dropBlobs } from './store-text.ts';
import * as symbols from './symbols.sql.ts';

export const sweepSymbolsJob = defineJob(
  'symbols:sweep',
  { attempts: 3, cron: '47 * * * *', lane: 'long', deletesOld: true },
  sweepSymbols,
);

/**
 * Deletes the texts that no build uses, and the unreferenced blobs below `symbols/` that are older than a day. Also
 * starts the counting of texts of earlier releases.
 */
export async function sweepSymbols(ctx: Context): Promise<void> {
  for (const gameId of await symbols.gamesWithUnusedTexts(ctx.db)) await sweepTexts(ctx, gameId);
  await startCounting(ctx);
  await sweepOrphans(ctx, SYMBOLS_PREFIX, (keys) => symbols.referencedKeys(ctx.db, keys));
}

/** Deletes the rows first, so that no row refers to a missing blob. */
async function sweepTexts(ctx: Context, gameId: string): Promise<void> {
  const keys = await transact(ctx.db, async (tx) => {
    await symbols.lockSymbols(tx, gameId);
    return symbols.deleteUnusedTexts(tx, gameId);
  });
  if (keys.length > 0) ctx.log.info({ game: gameId, blobs: keys.length }, 'deleting unused symbols');
  await dropBlobs(ctx, keys);
}
