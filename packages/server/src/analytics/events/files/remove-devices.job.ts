// Removes the events of deleted devices from files, by writing the files that have any again without them.
import type { Context } from '../../../context.ts';
import { areDeletionsLocked } from '../../../kernel/blobs/held-deletions.ts';
import { HOUR } from '../../../kernel/clock.ts';
import { type Attempt, defineJob } from '../../../kernel/jobs/jobs.ts';
import { deleteOrphans } from './delete-files.job.ts';
import * as sql from './event-files.sql.ts';
import { removeEvents } from './event-files.ts';
import { eventFileKey, prefixOfGame, versionOf } from './file-key.ts';
import type { DeviceEvents } from './parquet.ts';

export type RemoveDevices = { gameId: string };

export const removeDevicesJob = defineJob('events:remove-devices', { attempts: 6, lane: 'long' }, removeDevicesNow);

const PAGE = 500;

/** Does nothing if another process works on the files of the game. The hourly job then removes the devices. */
export async function removeDevicesNow(
  ctx: Context,
  { gameId }: RemoveDevices,
  { signal }: Pick<Attempt, 'signal'>,
): Promise<void> {
  await sql.withFiles(ctx, gameId, () => removeDevices(ctx, gameId, signal));
}

/**
 * The caller holds the lock on the files of the game. Does nothing during a backup, which would keep the old files, so
 * that engines would read both.
 */
export async function removeDevices(ctx: Context, gameId: string, signal: AbortSignal): Promise<void> {
  const deleted = await sql.listDevices(ctx.db, gameId);
  if (deleted.length === 0 || (await areDeletionsLocked(ctx.db))) return;
  if (await sql.isHeld(ctx.db, prefixOfGame(gameId))) return;
  const devices = deleted.map(({ device_uid: deviceUid, deleted_at }) => ({
    deviceUid,
    until: deleted_at.getTime() * 1000,
  }));
  let changed = 0;
  let damaged = 0;
  for await (const file of filesSince(ctx, gameId, firstHourOf(deleted))) {
    signal.throwIfAborted();
    const outcome = await removeFrom(ctx, gameId, file, devices);
    if (outcome === 'changed') changed += 1;
    if (outcome === 'damaged') damaged += 1;
  }
  // An interrupted attempt may have left some.
  await deleteOrphans(ctx, gameId);
  // The devices stay listed, and the hourly job tries again.
  if (damaged > 0) return;
  await sql.deleteDevices(ctx.db, gameId, deleted);
  ctx.log.info({ game: gameId, devices: devices.length, files: changed }, 'deleted devices were removed from files');
}

/** The first hour that can have events of the devices, an hour earlier in case clocks differ. Null if it is unknown. */
function firstHourOf(deleted: readonly sql.DeletedDevice[]): Date | null {
  const times = deleted.map(({ since }) => (since === null ? 0 : since.getTime()));
  const first = Math.min(...times);
  return first === 0 ? null : new Date((Math.floor(first / HOUR) - 1) * HOUR);
}

async function* filesSince(ctx: Context, gameId: string, from: Date | null): AsyncGenerator<sql.EventFileRow> {
  for (let after: sql.EventFileRow | null = null; ; ) {
    const page: sql.EventFileRow[] = await sql.listEventFiles(ctx.db, gameId, { from, to: null, after, limit: PAGE });
    yield* page;
    after = page.at(-1) ?? null;
    if (page.length < PAGE) return;
  }
}

const DAMAGED =
  'an event file is damaged, so deleted devices cannot be removed from it; restore the file, or delete the event files up to its day';

/** `changed` if the file had any of the events. */
async function removeFrom(
  ctx: Context,
  gameId: string,
  { file_id: fileId, hour, part, blob_key: oldKey, size }: sql.EventFileRow,
  devices: readonly DeviceEvents[],
): Promise<'same' | 'changed' | 'damaged'> {
  const newKey = eventFileKey(gameId, hour, part, versionOf(oldKey) + 1);
  const result = await removeEvents(ctx.blobs.settings, { file: { key: oldKey, size }, newKey, devices });
  if (result === 'missing') ctx.log.warn({ game: gameId, key: oldKey }, 'an event file is missing in the blob storage');
  if (result === 'damaged') ctx.log.error({ game: gameId, key: oldKey }, DAMAGED);
  if (result === 'damaged') return 'damaged';
  if (result === 'missing' || result === 'same') return 'same';
  if (result.events === 0) await sql.deleteFileRows(ctx.db, gameId, [oldKey]);
  else {
    const file = { gameId, fileId, oldKey, writtenAt: ctx.clock.now() };
    // The old file may have expired in the meantime. Then the new one is deleted, too.
    if (!(await sql.replaceBlob(ctx.db, file, { key: newKey, ...result }))) await ctx.blobs.delete(newKey);
  }
  await ctx.blobs.delete(oldKey);
  return 'changed';
}
