// Removes what symbols left behind: texts that no build has any more, and blobs of uploads and compilations that did not end.
import type { Context } from '../../context.ts';
import { sweepOrphans } from '../../kernel/blobs/sweep.ts';
import { transact } from '../../kernel/db.ts';
import { defineJob } from '../../kernel/jobs.ts';
import { SYMBOLS_PREFIX } from './blob-key.ts';
import { dropBlobs } from './store-text.ts';
import * as symbols from './symbols.sql.ts';

export const sweepSymbolsJob = defineJob<object>('symbols:sweep', 3);

/** Deletes the texts that no build has, and the blobs below `symbols/` that no text has and that are older than a day. */
export async function sweepSymbols(ctx: Context): Promise<void> {
  for (const gameId of await symbols.gamesWithUnusedTexts(ctx.db)) await sweepTexts(ctx, gameId);
  await sweepOrphans(ctx, SYMBOLS_PREFIX, (keys) => symbols.knownKeys(ctx.db, keys));
}

/** Rows first: nobody is led to a blob that is gone. */
async function sweepTexts(ctx: Context, gameId: string): Promise<void> {
  const keys = await transact(ctx.db, async (tx) => {
    await symbols.lockSymbols(tx, gameId);
    return symbols.deleteUnusedTexts(tx, gameId);
  });
  if (keys.length > 0) ctx.log.info({ game: gameId, blobs: keys.length }, 'removing symbols that no build has');
  await dropBlobs(ctx, keys);
}
