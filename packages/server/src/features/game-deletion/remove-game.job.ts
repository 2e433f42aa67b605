// Removes everything of a deleted game: at once, and once more when nothing that was under way can still be writing.
import type { Context } from '../../context.ts';
import { HOUR } from '../../kernel/clock.ts';
import { type Attempt, defineJob } from '../../kernel/jobs.ts';
import { removeReportsOfGame } from '../crashes/keep/remove-game.ts';
import * as deletion from './game-deletion.sql.ts';
import type { RemoveGame } from './game-deletion.ts';
import { orderTables } from './table-order.ts';
import { deleteRows, listTenantTables } from './tenant-tables.sql.ts';

export const finishDeletionsJob = defineJob<object>('game-deletion:finish', 3);

/** Folders of the blob store, in each of which a game has one of its own. Files of crash reports are found by their rows. */
const BLOB_FOLDERS = ['files', 'media', 'symbols'];

/** Requests, jobs and batches that began before the game was deleted have ended by then. */
const SETTLED_AFTER = HOUR;

export async function removeGame(ctx: Context, { gameId }: RemoveGame, { signal }: Attempt): Promise<void> {
  // Nothing is ever removed of a game that is in use, whatever a job says.
  if (!(await deletion.isMarked(ctx.db, gameId))) return;
  await removeAll(ctx, gameId, signal);
}

/**
 * Once an hour has passed: removes what was still written after the first removal, then the last row. It also completes removals that
 * never ended, and frees the slugs whose time is over.
 */
export async function finishDeletions(ctx: Context, _payload: object, { signal }: Attempt): Promise<void> {
  const now = ctx.clock.now();
  await deletion.freeSlugs(ctx.db, now);
  for (const gameId of await deletion.listMarked(ctx.db, new Date(now.getTime() - SETTLED_AFTER))) {
    await removeAll(ctx, gameId, signal);
    await deletion.deleteMarked(ctx.db, gameId);
    ctx.log.info({ game: gameId }, 'deleted game removed completely');
  }
}

/** Blobs before the rows that know them. Every step can be repeated, so a removal that was cut short starts again from the front. */
async function removeAll(ctx: Context, gameId: string, signal: AbortSignal): Promise<void> {
  await removeReportsOfGame(ctx, gameId, signal);
  for (const table of orderTables(await listTenantTables(ctx.db))) await deleteRows(ctx.db, table, gameId, signal);
  await deletion.deleteCounters(ctx.db, gameId);
  for (const folder of BLOB_FOLDERS) await removeBlobs(ctx, `${folder}/${gameId}/`, signal);
}

async function removeBlobs(ctx: Context, prefix: string, signal: AbortSignal): Promise<void> {
  for await (const { key } of ctx.blobs.list(prefix)) {
    signal.throwIfAborted();
    await ctx.blobs.delete(key);
  }
}
