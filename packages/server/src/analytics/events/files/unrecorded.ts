// Deletes objects that no row refers to, which interrupted jobs have left: engines would read their events twice.
import type { Context } from '../../../context.ts';
import { prefixOfGame } from './file-key.ts';
import * as sql from './files.sql.ts';

const BATCH = 500;

/** Called with the lock on the files of the game, so that none is about to get a row. */
export async function deleteUnrecorded(ctx: Context, gameId: string): Promise<void> {
  for await (const keys of pageUnrecorded(ctx, prefixOfGame(gameId))) {
    for (const key of keys) {
      ctx.log.info({ key }, 'deleting an event file that no row refers to');
      await ctx.blobs.delete(key);
    }
  }
}

/** Yields the keys below `prefix` without a row. */
export async function* pageUnrecorded({ blobs, db }: Context, prefix: string): AsyncGenerator<string[]> {
  let batch: string[] = [];
  async function unrecorded(): Promise<string[]> {
    const recorded = await sql.recordedKeys(db, batch);
    const keys = batch.filter((key) => !recorded.has(key));
    batch = [];
    return keys;
  }
  for await (const { key } of blobs.list(prefix)) {
    batch.push(key);
    if (batch.length >= BATCH) yield await unrecorded();
  }
  yield await unrecorded();
}
