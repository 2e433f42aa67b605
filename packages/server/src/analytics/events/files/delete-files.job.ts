// Deletes event files: expired files, the files that a developer deletes, and objects without a row.
import type { Context } from '../../../context.ts';
import { DAY } from '../../../kernel/clock.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';
import { EVENT_FILES_PREFIX, gameOf } from './file-key.ts';
import * as sql from './files.sql.ts';
import { withFiles } from './lock.ts';
import { deleteUnrecorded, pageUnrecorded } from './unrecorded.ts';

/** `before` is a UTC day, whose files stay. */
export type DeleteFiles = { gameId: string; before: string };

export const deleteFilesJob = defineJob('events:delete-files', { attempts: 12, lane: 'long' }, deleteFiles);
export const expireFilesJob = defineJob(
  'events:expire-files',
  { attempts: 5, cron: '51 4 * * *', lane: 'long', deletesOld: true },
  expireFiles,
);

const PAGE = 100;

export async function deleteFiles(ctx: Context, { gameId, before }: DeleteFiles): Promise<void> {
  await deleteBefore(ctx, gameId, new Date(before));
}

/** Deletes the files of whole days that are over their time, and the objects of interrupted jobs. */
export async function expireFiles(ctx: Context): Promise<void> {
  if (ctx.config.eventFileDays > 0) {
    const limit = expiryOf(ctx);
    for (const gameId of await sql.gamesWithFilesBefore(ctx.db, limit)) await deleteBefore(ctx, gameId, limit);
  }
  await sweep(ctx);
}

/** The first day whose files are kept. */
export function expiryOf({ config, clock }: Context): Date {
  return new Date(Math.floor(clock.now().getTime() / DAY - config.eventFileDays) * DAY);
}

/** A row is deleted after its object, so an interruption leaves no object that engines would still read. */
async function deleteBefore(ctx: Context, gameId: string, limit: Date): Promise<void> {
  for (;;) {
    const files = await sql.listFiles(ctx.db, gameId, { from: null, to: limit, after: null, limit: PAGE });
    if (files.length === 0) return;
    const keys = files.map(({ blob_key }) => blob_key);
    await Promise.all(keys.map((key) => ctx.blobs.delete(key)));
    // A file that was written again in the meantime, under another key, comes with the next page.
    await sql.deleteFileRows(ctx.db, gameId, keys);
  }
}

/** Leaves games alone whose files are being written. */
async function sweep(ctx: Context): Promise<void> {
  const games = new Set<string>();
  for await (const keys of pageUnrecorded(ctx, EVENT_FILES_PREFIX)) for (const key of keys) games.add(gameOf(key));
  for (const gameId of games) await withFiles(ctx, gameId, () => deleteUnrecorded(ctx, gameId));
}
