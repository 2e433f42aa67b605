// Removes what symbols left behind: texts that no build has any more, and blobs of uploads and compilations that did not end.
import type { Context } from '../../context.ts';
import { HOUR } from '../../kernel/clock.ts';
import { transact } from '../../kernel/db.ts';
import { defineJob } from '../../kernel/jobs.ts';
import { SYMBOLS_PREFIX } from './blob-key.ts';
import { dropBlobs } from './store-text.ts';
import * as symbols from './symbols.sql.ts';

export const sweepSymbolsJob = defineJob<object>('symbols:sweep', 3);

const BATCH = 500;
/** A blob is older than its row by as long as the rest of its upload takes. */
const ORPHAN_HOURS = 24;

export async function sweepSymbols(ctx: Context): Promise<void> {
  for (const gameId of await symbols.gamesWithUnusedTexts(ctx.db)) await sweepTexts(ctx, gameId);
  await sweepBlobs(ctx);
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

/** Deletes the blobs below `symbols/` that no text has and that are older than a day. */
async function sweepBlobs(ctx: Context): Promise<void> {
  const before = ctx.clock.now().getTime() - ORPHAN_HOURS * HOUR;
  let batch: string[] = [];
  for await (const { key, modifiedAt } of ctx.blobs.list(SYMBOLS_PREFIX)) {
    if (modifiedAt.getTime() < before) batch.push(key);
    if (batch.length < BATCH) continue;
    await deleteOrphans(ctx, batch);
    batch = [];
  }
  await deleteOrphans(ctx, batch);
}

async function deleteOrphans(ctx: Context, keys: readonly string[]): Promise<void> {
  const known = await symbols.knownKeys(ctx.db, keys);
  for (const key of keys.filter((candidate) => !known.has(candidate))) {
    ctx.log.info({ key }, 'removing a blob that no symbols have');
    await ctx.blobs.delete(key);
  }
}
