// Event files for developers: turning them on and off, listing, downloading and deleting them.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/event-files';
import { PARQUET_TYPE } from '@chauffeur/contract/operations/event-files';
import type { Context } from '../../../context.ts';
import { DAY, HOUR } from '../../../kernel/clock.ts';
import { transact } from '../../../kernel/database/db.ts';
import { listPartitions } from '../../../kernel/database/partitions.ts';
import { addJob } from '../../../kernel/jobs/jobs.ts';
import { lockGame, requireMember } from '../../../people/game-access/game-access.ts';
import { cutPage, readCursor, writeCursor } from '../../../request/cursor.ts';
import { handle, stream } from '../../../request/route.ts';
import { sendBlob } from '../../../request/send-blob.ts';
import { dayOfPartition } from '../keep/event-partitions.job.ts';
import { deleteFilesJob } from './delete-files.job.ts';
import * as sql from './event-files.sql.ts';
import { prefixOfGame } from './file-key.ts';

type Settings = OutputOf<typeof contract.getEventFiles>;
type EventFile = OutputOf<typeof contract.listEventFiles>['files'][number];

/** How long the URL of a file in S3 is valid. */
const SIGNED_SECONDS = 300;

export const getEventFiles = handle(contract.getEventFiles, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return readSettings(ctx, game.game_id);
});

/** When event files are turned on for the first time, the stored events are written, too. */
export const setEventFiles = handle(contract.setEventFiles, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { game_id: gameId } = game;
  const { enabled } = input;
  const now = ctx.clock.now();
  const [oldest] = await listPartitions(ctx.db, 'events');
  const firstHour = oldest === undefined ? new Date(Math.floor(now.getTime() / HOUR) * HOUR) : dayOfPartition(oldest);
  const isChanged = await transact(ctx.db, async (tx) => {
    await lockGame(tx, gameId);
    return sql.writeSwitch(tx, { gameId, enabled, changedAt: now, changedBy: caller.user.name, firstHour });
  });
  if (isChanged) ctx.log.info({ game: gameId, user: caller.user.id, enabled }, 'event files were turned on or off');
  return readSettings(ctx, gameId);
});

async function readSettings({ db, config }: Context, gameId: string): Promise<Settings> {
  const [state, totals, devices] = await Promise.all([
    sql.readFilesState(db, gameId),
    sql.readTotals(db, gameId),
    sql.listDevices(db, gameId),
  ]);
  return {
    enabled: state?.enabled ?? false,
    changed_at: state?.changed_at.toISOString() ?? null,
    changed_by: state?.changed_by ?? null,
    written_until: state?.next_hour.toISOString() ?? null,
    storage_full: state?.is_full ?? false,
    keep_days: config.eventFileDays,
    prefix: prefixOfGame(gameId),
    ...totals,
    devices_to_remove: devices.length,
  };
}

export const listEventFiles = handle(contract.listEventFiles, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { from, to, cursor, limit = LIMITS.pageSize } = input;
  const [first, last] = [readDay('from', from), readDay('to', to)];
  const list = ['event files', game.game_id];
  const [hour, part] = cursor === undefined ? [] : readCursor(list, cursor, ['microseconds', 'bytes']);
  const rows = await sql.listEventFiles(ctx.db, game.game_id, {
    from: first,
    to: last && new Date(last.getTime() + DAY),
    after: hour === undefined ? null : { hour: new Date(Number(hour) / 1000), part: Number(part) },
    limit: limit + 1,
  });
  const { page, last: lastRow } = cutPage(rows, limit);
  return {
    files: page.map(fileOf),
    next_cursor:
      lastRow === null ? null : writeCursor(list, [String(lastRow.hour.getTime() * 1000), String(lastRow.part)]),
  };
});

function fileOf({ file_id, hour, part, blob_key, size, sha256, events, written_at }: sql.EventFileRow): EventFile {
  return {
    uid: file_id,
    hour: hour.toISOString(),
    part,
    blob_key,
    size,
    sha256,
    events,
    written_at: written_at.toISOString(),
  };
}

function readDay(field: string, day: string | undefined): Date | null {
  if (day === undefined) return null;
  const time = new Date(`${day}T00:00:00Z`);
  // JavaScript turns a day that does not exist, such as February 30, into another one.
  if (Number.isNaN(time.getTime()) || !time.toISOString().startsWith(day))
    throw errors.invalid(`${field}: there is no such day. Send a day such as 2026-11-30.`);
  return time;
}

export const downloadEventFile = stream(contract.downloadEventFile, async (ctx, { caller, input, request, reply }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const file = await sql.findEventFile(ctx.db, game.game_id, input.file_uid.toLowerCase());
  if (file === undefined) throw unknownFile();
  request.log.info({ game: game.game_id, user: caller.user.id, key: file.blob_key }, 'event file downloaded');
  return sendBlob(ctx.blobs, request, reply, {
    key: file.blob_key,
    size: file.size,
    etag: `"${file.sha256}"`,
    filename: `events-${game.slug}-${file.hour.toISOString().slice(0, 13)}-${file.part}.parquet`,
    contentType: PARQUET_TYPE,
    signedSeconds: SIGNED_SECONDS,
  });
});

function unknownFile(): ApiError {
  return errors.notFound('file_uid: this game has no such file. List the files and use one of their uids.');
}

/** Deletes the files in a job, because there can be many. */
export const deleteEventFiles = handle(contract.deleteEventFiles, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { game_id: gameId } = game;
  const before = readDay('before', input.before)!;
  const files = await sql.countFilesBefore(ctx.db, gameId, before);
  await addJob(ctx.db, deleteFilesJob, { gameId, before: input.before });
  ctx.log.info({ game: gameId, user: caller.user.id, before: input.before, files }, 'event files are being deleted');
  return { files };
});
