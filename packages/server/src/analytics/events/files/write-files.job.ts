// Writes the events of closed hours to Parquet files, once an hour, for each game that has turned this on.
//
// `event_file_games.next_hour` says how far a game's files reach. A span of closed hours within a day goes through
// these steps, with the lock on the game's files:
//
// 1. COPY streams the events from the partition of the day to a thread, which uploads the files. Their keys depend only
//    on the hour, so another attempt replaces what an interrupted one left.
// 2. Other objects of these hours are deleted: an attempt that had more events may have left them.
// 3. One transaction inserts the rows of the files and moves `next_hour`. If it can't, because the game was deleted,
//    turned files off or has no storage left, the objects are deleted again.
//
// So engines that list the bucket see an event once, except between steps 1 and 3 of a failed attempt.
import { isError } from '@chauffeur/contract/errors';
import copyStreams from 'pg-copy-streams';
import type { Context } from '../../../context.ts';
import { DAY } from '../../../kernel/clock.ts';
import { type DatabaseSession, transact } from '../../../kernel/database/db.ts';
import { ensurePartition, listPartitions } from '../../../kernel/database/partitions.ts';
import { type Attempt, defineJob } from '../../../kernel/jobs/jobs.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { lockGame } from '../../../people/game-access/game-access.ts';
import { enforceQuota, requireFreeStorage } from '../../../ship/usage/usage.ts';
import { closeHours } from '../keep/close-hours.sql.ts';
import { dayOfPartition, eventPartitionOf } from '../keep/event-partitions.job.ts';
import { expiryOf } from './delete-files.job.ts';
import * as sql from './event-files.sql.ts';
import { type WrittenFile, writeFiles } from './event-files.ts';
import { prefixOfGame, prefixOfHour } from './file-key.ts';
import { removeDevices } from './remove-devices.job.ts';

export const writeFilesJob = defineJob(
  'events:write-files',
  { attempts: 5, cron: '7 * * * *', lane: 'long' },
  writeEventFiles,
);

/** Hours of one UTC day, from `from` up to `to`, which is excluded. */
type Span = { readonly from: Date; readonly to: Date };
/** `nextHour` is what the database said when the span was chosen. */
type NextSpan = Span & { readonly nextHour: Date };

/** Goes on with the other games if the files of one cannot be written, and fails at the end. */
export async function writeEventFiles(
  ctx: Context,
  _payload: object,
  { signal }: Pick<Attempt, 'signal'>,
): Promise<void> {
  const games = await sql.listGamesWithWork(ctx.db);
  if (games.length === 0) return;
  const openFrom = await closeHours(ctx);
  await sql.correctNextHours(ctx.db, openFrom);
  let failure: { error: unknown } | undefined;
  for (const gameId of games) {
    signal.throwIfAborted();
    try {
      await sql.withFiles(ctx, gameId, (session) => writeFilesOf(ctx, session, { gameId, openFrom, signal }));
    } catch (error) {
      ctx.log.warn({ err: error, game: gameId }, 'the event files of a game could not be written');
      failure = { error };
    }
  }
  if (failure !== undefined) throw failure.error;
}

type Work = { readonly gameId: string; readonly openFrom: Date; readonly signal: AbortSignal };

async function writeFilesOf(ctx: Context, session: DatabaseSession, { gameId, openFrom, signal }: Work): Promise<void> {
  for (;;) {
    const span = await nextSpan(ctx, gameId, openFrom);
    if (span === null || !(await writeSpan(ctx, session, gameId, span, signal))) break;
  }
  await removeDevices(ctx, gameId, signal);
}

/** The first closed hours, within one day, that are not in files. Null if all are. */
async function nextSpan(ctx: Context, gameId: string, openFrom: Date): Promise<NextSpan | null> {
  const state = await sql.readFilesState(ctx.db, gameId);
  if (state?.enabled !== true) return null;
  const [oldest] = await listPartitions(ctx.db, 'events');
  const first = oldest === undefined ? openFrom : dayOfPartition(oldest);
  // Older files would expire with the next run of their job.
  const kept = ctx.config.eventFileDays === 0 ? 0 : expiryOf(ctx).getTime();
  const from = new Date(Math.max(state.next_hour.getTime(), first.getTime(), kept));
  const dayEnd = (Math.floor(from.getTime() / DAY) + 1) * DAY;
  const to = new Date(Math.min(openFrom.getTime(), dayEnd));
  return from < to ? { from, to, nextHour: state.next_hour } : null;
}

/** Returns false if the game cannot have files at the moment. */
async function writeSpan(
  ctx: Context,
  session: DatabaseSession,
  gameId: string,
  span: NextSpan,
  signal: AbortSignal,
): Promise<boolean> {
  if (await sql.isHeld(ctx.db, prefixOfGame(gameId))) return false;
  if (!(await hasStorage(ctx, gameId))) return false;
  const files = await copyEvents(ctx, session, gameId, span, signal);
  await deleteOthers(ctx, gameId, span, new Set(files.map(({ key }) => key)));
  const isDone = await insertFiles(ctx, session, gameId, span, files);
  if (!isDone) await deleteOthers(ctx, gameId, span, new Set());
  else if (files.length > 0)
    ctx.log.info(
      { game: gameId, from: span.from, to: span.to, files: files.length, events: sumOf(files) },
      'events were written to files',
    );
  return isDone;
}

function sumOf(files: readonly WrittenFile[]): number {
  return files.reduce((sum, { events }) => sum + events, 0);
}

async function hasStorage(ctx: Context, gameId: string): Promise<boolean> {
  try {
    await requireFreeStorage(ctx, gameId);
    return true;
  } catch (error) {
    if (!isQuotaExceeded(error)) throw error;
    await sql.setFull(ctx.db, gameId);
    return false;
  }
}

function isQuotaExceeded(error: unknown): boolean {
  return isError(error, 'storageLimitReached');
}

async function copyEvents(
  ctx: Context,
  { client }: DatabaseSession,
  gameId: string,
  span: Span,
  signal: AbortSignal,
): Promise<WrittenFile[]> {
  const partition = eventPartitionOf(span.from);
  // Once the partition exists, the default partition has no event of the day. It must not be locked for long.
  await ensurePartition(ctx.db, partition);
  const stream = client.query(copyStreams.to(`copy (${sql.eventsQuery(partition.name, gameId, span)}) to stdout`));
  const chunks = joinChunks(stream as AsyncIterable<Buffer>);
  return writeFiles(ctx.blobs.settings, gameId, async () => {
    signal.throwIfAborted();
    return (await chunks.next()).value ?? null;
  });
}

/** Each chunk is a message to the thread, so it should not be small. */
const CHUNK_BYTES = 256 * 1024;

async function* joinChunks(stream: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array, undefined> {
  let pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream) {
    pieces.push(piece);
    size += piece.length;
    if (size < CHUNK_BYTES) continue;
    yield Uint8Array.from(Buffer.concat(pieces));
    [pieces, size] = [[], 0];
  }
  if (size > 0) yield Uint8Array.from(Buffer.concat(pieces));
}

/** Inserts the rows. False if the game was deleted, has turned files off, or has no storage left. */
async function insertFiles(
  ctx: Context,
  { db }: DatabaseSession,
  gameId: string,
  { from, to, nextHour }: NextSpan,
  files: readonly WrittenFile[],
): Promise<boolean> {
  const now = ctx.clock.now();
  try {
    return await transact(db, async (tx) => {
      await lockGame(tx, gameId);
      if (!(await sql.advance(tx, gameId, { from: nextHour, to }))) return false;
      await sql.deleteRowsBetween(tx, gameId, { from, to });
      for (const { hour, ...file } of files)
        await sql.insertEventFile(tx, gameId, { ...file, fileId: newId(now.getTime()), hour: new Date(hour) }, now);
      if (files.length > 0) await enforceQuota(ctx, tx, gameId);
      return true;
    });
  } catch (error) {
    if (isQuotaExceeded(error)) await sql.setFull(ctx.db, gameId);
    else if (!isError(error, 'notFound')) throw error;
    return false;
  }
}

/** Deletes the objects of these hours except `keep`. None of them has a row yet: an earlier attempt left them. */
async function deleteOthers(
  ctx: Context,
  gameId: string,
  { from, to }: Span,
  keep: ReadonlySet<string>,
): Promise<void> {
  const day = prefixOfHour(gameId, from).replace(/[^/]*$/, '');
  const [first, end] = [prefixOfHour(gameId, from), prefixOfHour(gameId, new Date(to.getTime() - 1))];
  for await (const { key } of ctx.blobs.list(day)) {
    const hour = key.slice(0, first.length);
    if (hour >= first && hour <= end && !keep.has(key)) await ctx.blobs.delete(key);
  }
}
