// Deletes event files: expired files, files that a developer deletes, and orphans. An orphan is an object without a
// row, which an interrupted job has left: engines would read its events twice.
import type { Context } from '../../../context.ts';
import { DAY } from '../../../kernel/clock.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';
import * as sql from './event-files.sql.ts';
import { EVENT_FILES_PREFIX, gameOfFile, prefixOfGame } from './file-key.ts';

/** `before` is a UTC day. Its own files stay. */
export type DeleteFiles = { gameId: string; before: string };

export const deleteFilesJob = defineJob('events:delete-files', { attempts: 12, lane: 'long' }, deleteEventFiles);
export const expireFilesJob = defineJob(
  'events:expire-files',
  { attempts: 5, cron: '51 4 * * *', lane: 'long', deletesOld: true },
  expireFiles,
);

const PAGE = 100;

export async function deleteEventFiles(ctx: Context, { gameId, before }: DeleteFiles): Promise<void> {
  await deleteBefore(ctx, gameId, new Date(before));
}

/** Deletes the files of expired days, and the orphans of all games. */
export async function expireFiles(ctx: Context): Promise<void> {
  if (ctx.config.eventFileDays > 0) {
    const limit = expiryOf(ctx);
    for (const gameId of await sql.gamesWithFilesBefore(ctx.db, limit)) await deleteBefore(ctx, gameId, limit);
  }
  await deleteAllOrphans(ctx);
}

/** The first day whose files are kept. */
export function expiryOf({ config, clock }: Context): Date {
  return new Date(Math.floor(clock.now().getTime() / DAY - config.eventFileDays) * DAY);
}

/** Deletes a row after its object, so an interruption leaves no object that engines would still read. */
async function deleteBefore(ctx: Context, gameId: string, limit: Date): Promise<void> {
  for (;;) {
    const files = await sql.listEventFiles(ctx.db, gameId, { from: null, to: limit, after: null, limit: PAGE });
    if (files.length === 0) return;
    const keys = files.map(({ blob_key }) => blob_key);
    await Promise.all(keys.map((key) => ctx.blobs.delete(key)));
    // A file that was written again in the meantime, under another key, comes with the next page.
    await sql.deleteFileRows(ctx.db, gameId, keys);
  }
}

/** Skips games whose files are being written. */
async function deleteAllOrphans(ctx: Context): Promise<void> {
  const games = new Set<string>();
  for await (const keys of pageOrphans(ctx, EVENT_FILES_PREFIX)) for (const key of keys) games.add(gameOfFile(key));
  for (const gameId of games) await sql.withFiles(ctx, gameId, () => deleteOrphans(ctx, gameId));
}

/** The caller holds the lock on the game's files, so no other job is about to insert a row for one of them. */
export async function deleteOrphans(ctx: Context, gameId: string): Promise<void> {
  for await (const keys of pageOrphans(ctx, prefixOfGame(gameId))) {
    for (const key of keys) {
      ctx.log.info({ key }, 'deleting an event file that no row refers to');
      await ctx.blobs.delete(key);
    }
  }
}

const BATCH = 500;

/** Yields the keys below `prefix` that have no row. */
async function* pageOrphans({ blobs, db }: Context, prefix: string): AsyncGenerator<string[]> {
  let batch: string[] = [];
  async function orphans(): Promise<string[]> {
    const withRows = await sql.keysWithRows(db, batch);
    const keys = batch.filter((key) => !withRows.has(key));
    batch = [];
    return keys;
  }
  for await (const { key } of blobs.list(prefix)) {
    batch.push(key);
    if (batch.length >= BATCH) yield await orphans();
  }
  yield await orphans();
}
