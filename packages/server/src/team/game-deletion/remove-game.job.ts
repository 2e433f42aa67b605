// Removes all data of a deleted game: immediately, and again when no earlier request or job can still write data.

import type { Context } from '../../context.ts';
import { deleteReportsOfGame } from '../../crash/crashes/crashes.ts';
import { deleteBelow } from '../../kernel/blobs/sweep.ts';
import { HOUR } from '../../kernel/clock.ts';
import { type Attempt, bindJob, defineJob } from '../../kernel/jobs/jobs.ts';
import * as deletion from './game-deletion.sql.ts';
import { type RemoveGame, removeGameJob } from './game-deletion.ts';
import { orderTables } from './table-order.ts';
import { deleteRows, listTenantTables } from './tenant-tables.sql.ts';

export const finishDeletionsJob = defineJob(
  'game-deletion:finish',
  { attempts: 3, cron: '23 * * * *', lane: 'long' },
  finishDeletions,
);

/**
 * What precedes the id of the game in the keys of its blobs. Files of crash reports are found through their rows.
 */
const BLOB_FOLDERS = ['files/', 'media/', 'videos/', 'symbols/', 'events/game_id='];

/** After this time, requests, jobs and batches that started before the deletion have ended. */
const SETTLED_AFTER = HOUR;

export const removeGameBinding = bindJob(removeGameJob, removeGame);

export async function removeGame(ctx: Context, { gameId }: RemoveGame, { signal }: Attempt): Promise<void> {
  // A safeguard: never removes data of a game that is not deleted.
  if (!(await deletion.isDeleted(ctx.db, gameId))) return;
  await removeAll(ctx, gameId, signal);
}

/**
 * An hour after a deletion, removes data that was written after the first removal, and then the last row. It also
 * completes interrupted removals and releases expired slug reservations.
 */
export async function finishDeletions(ctx: Context, _payload: object, { signal }: Attempt): Promise<void> {
  const now = ctx.clock.now();
  await deletion.freeSlugs(ctx.db, now);
  for (const gameId of await deletion.listDeleted(ctx.db, new Date(now.getTime() - SETTLED_AFTER))) {
    await removeAll(ctx, gameId, signal);
    await deletion.deleteLastRow(ctx.db, gameId);
    ctx.log.info({ game: gameId }, 'deleted game removed completely');
  }
}

/**
 * Files of crash reports are deleted before their rows. Every step can be repeated, so an interrupted removal starts
 * over.
 */
async function removeAll(ctx: Context, gameId: string, signal: AbortSignal): Promise<void> {
  await deleteReportsOfGame(ctx, gameId, signal);
  for (const table of orderTables(await listTenantTables(ctx.db))) await deleteRows(ctx.db, table, gameId, signal);
  await deletion.deleteCounters(ctx.db, gameId);
  for (const folder of BLOB_FOLDERS) await deleteBelow(ctx.blobs, `${folder}${gameId}/`, signal);
}
