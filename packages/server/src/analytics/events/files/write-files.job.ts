// Writes the events of closed hours to files, once an hour, for each game for which it is turned on.

import { isError } from '@chauffeur/contract/errors';
import copyStreams from 'pg-copy-streams';
import type { Context } from '../../../context.ts';
import { DAY } from '../../../kernel/clock.ts';
import { type Session, transact } from '../../../kernel/database/db.ts';
import { ensurePartition, listPartitions } from '../../../kernel/database/partitions.ts';
import { type Attempt, defineJob } from '../../../kernel/jobs/jobs.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { lockGame } from '../../../people/games/games.ts';
import { enforceQuota, requireFreeStorage } from '../../../ship/usage/usage.ts';
import { closeHours } from '../keep/close-hours.ts';
import { dayOfPartition, partitionOf } from '../partitions.ts';
import { expiryOf } from './delete-files.job.ts';
import { type WrittenFile, writeFiles } from './event-files.ts';
import { prefixOfGame, prefixOfHour } from './file-key.ts';
import * as sql from './files.sql.ts';
import { withFiles } from './lock.ts';
import { removeDevices } from './remove-devices.job.ts';

export const writeFilesJob = defineJob(
  'events:write-files',
  { attempts: 5, cron: '7 * * * *', lane: 'long' },
  writeEventFiles,
);

/** Hours of one UTC day, `to` exclusive. */
type Span = { readonly from: Date; readonly to: Date };

/** A game whose files could not be written does not keep the others from it. */
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
      await withFiles(ctx, gameId, (session) => writeFilesOf(ctx, session, { gameId, openFrom, signal }));
    } catch (error) {
      ctx.log.warn({ err: error, game: gameId }, 'the event files of a game could not be written');
      failure = { error };
    }
  }
  if (failure !== undefined) throw failure.error;
}

type Work = { readonly gameId: string; readonly openFrom: Date; readonly signal: AbortSignal };

async function writeFilesOf(ctx: Context, session: Session, { gameId, openFrom, signal }: Work): Promise<void> {
  for (;;) {
    const span = await nextSpan(ctx, gameId, openFrom);
    if (span === null || !(await writeSpan(ctx, session, gameId, span, signal))) break;
  }
  await removeDevices(ctx, gameId, signal);
}

/** The first hours that are not in files, within one day; null if there are none. */
async function nextSpan(ctx: Context, gameId: string, openFrom: Date): Promise<(Span & { recorded: Date }) | null> {
  const state = await sql.readState(ctx.db, gameId);
  if (state?.enabled !== true) return null;
  const [oldest] = await listPartitions(ctx.db, 'events');
  const first = oldest === undefined ? openFrom : dayOfPartition(oldest);
  // Older files would expire with the next run of their job.
  const kept = ctx.config.eventFileDays === 0 ? 0 : expiryOf(ctx).getTime();
  const from = new Date(Math.max(state.next_hour.getTime(), first.getTime(), kept));
  const dayEnd = (Math.floor(from.getTime() / DAY) + 1) * DAY;
  const to = new Date(Math.min(openFrom.getTime(), dayEnd));
  return from < to ? { from, to, recorded: state.next_hour } : null;
}

/** Returns false if the game cannot have files at the moment. */
async function writeSpan(
  ctx: Context,
  session: Session,
  gameId: string,
  span: Span & { recorded: Date },
  signal: AbortSignal,
): Promise<boolean> {
  if (await sql.isHeld(ctx.db, prefixOfGame(gameId))) return false;
  if (!(await hasStorage(ctx, gameId))) return false;
  const files = await copyEvents(ctx, session, gameId, span, signal);
  await deleteOthers(ctx, gameId, span, new Set(files.map(({ key }) => key)));
  const recorded = await record(ctx, session, gameId, span, files);
  if (!recorded) await deleteOthers(ctx, gameId, span, new Set());
  else if (files.length > 0)
    ctx.log.info(
      { game: gameId, from: span.from, to: span.to, files: files.length, events: sumOf(files) },
      'events were written to files',
    );
  return recorded;
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
  { client }: Session,
  gameId: string,
  span: Span,
  signal: AbortSignal,
): Promise<WrittenFile[]> {
  const partition = partitionOf(span.from);
  // With the partition, no event of the day is in the default partition, which must not be locked for long.
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
  let parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream) {
    parts.push(part);
    size += part.length;
    if (size < CHUNK_BYTES) continue;
    yield Uint8Array.from(Buffer.concat(parts));
    [parts, size] = [[], 0];
  }
  if (size > 0) yield Uint8Array.from(Buffer.concat(parts));
}

/** Records the files, unless the game was deleted, it was turned off, or its storage is full. */
async function record(
  ctx: Context,
  { db }: Session,
  gameId: string,
  { from, to, recorded }: Span & { recorded: Date },
  files: readonly WrittenFile[],
): Promise<boolean> {
  const now = ctx.clock.now();
  try {
    return await transact(db, async (tx) => {
      await lockGame(tx, gameId);
      if (!(await sql.advance(tx, gameId, { from: recorded, to }))) return false;
      await sql.deleteRowsBetween(tx, gameId, { from, to });
      for (const { hour, ...file } of files)
        await sql.insertFile(tx, gameId, { ...file, fileId: newId(now.getTime()), hour: new Date(hour) }, now);
      if (files.length > 0) await enforceQuota(ctx, tx, gameId);
      return true;
    });
  } catch (error) {
    if (isQuotaExceeded(error)) await sql.setFull(ctx.db, gameId);
    else if (!isError(error, 'notFound')) throw error;
    return false;
  }
}

/** Deletes what an earlier attempt left in the hours of the span, whose files are not recorded yet. */
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
