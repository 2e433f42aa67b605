// Scans of uploaded files: a check of a zip's directory before its upload gets a response, and a job that reads all of
// it.
//
// A file has one of six states (`files.scan_state`), and each change is added to its history in the same transaction:
//
// - `pending`: the transaction that added the file also enqueued the job. The file is pending again between two
//   attempts.
// - `scanning`: a worker reads it. If the worker dies, the queue gives the job to another one after a while, which
//   starts over from here: an examination changes nothing.
// - `clean`: every byte was scanned, and the zip is safe to unpack. The same transaction moves the channel of the
//   build.
// - `unscanned`: the zip is safe to unpack, and the operator has configured no scanner. It is offered like a clean one.
// - `infected`, `error`: the scanner found something; or the zip is not safe to unpack, the scanner skipped parts of
//   it, or it could not be reached for about a day. The transaction raises an alert, and the blob is deleted
//   afterwards.
//
// The last four are final. The job that finds one of them only deletes the blob of a rejected file, in case an earlier
// attempt died before it did, so it is safe to run twice. The state changes before the blob is deleted: a file that is
// offered always has its blob.
//
// Reading hostile zips takes the processor and memory, so both the check and the scan run in threads with limits. Only
// an unreachable scanner or blob store is worth another attempt; any other failure is a property of the file.
import { errors } from '@chauffeur/contract/errors';
import type { Os } from '@chauffeur/contract/identity';
import type { ScanState } from '@chauffeur/contract/operations/files';
import type { Context } from '../../context.ts';
import { BLOB_FAILURES } from '../../kernel/blobs/failures.ts';
import type { BlobSettings } from '../../kernel/blobs/store.ts';
import { secondsSince } from '../../kernel/clock.ts';
import { type Tx, transact } from '../../kernel/database/db.ts';
import { type Attempt, addJob, defineJob } from '../../kernel/jobs/jobs.ts';
import { ScannerUnavailableError } from '../../kernel/scanner/scanner.ts';
import { limitConcurrency } from '../../kernel/threads/concurrency.ts';
import { runInThread, ThreadTimeoutError } from '../../kernel/threads/threads.ts';
import { type Alert, raiseAlerts } from '../../notify/alerts/alerts.ts';
import { type Build, findBuild } from '../builds/builds.ts';
import { lockChannels } from '../channels/channels.sql.ts';
import { advanceChannel } from '../channels/channels.ts';
import { raiseSerialsOfBuild } from '../channels/serials.sql.ts';
import { manifestKeyOf } from '../files/blob-keys.ts';
import { insertEntries, insertManifest } from '../files/files.sql.ts';
import { findFile, type GameFileRow, isOffered, isSettled, setScanState } from '../files/files.ts';
import { enqueuePatches } from '../patches/patches.ts';
import { type Examination, examineBlob, failureOf, STATES } from './examine.ts';
import type { ZipRefusal } from './zip-rules.ts';

/** Enqueues the scan of a file, in the transaction that records it. */
export function enqueueScan(tx: Tx, file: { game_id: string; file_id: string }): Promise<void> {
  return addJob(tx, scanJob, { gameId: file.game_id, fileId: file.file_id });
}

/** The input of the thread. */
export type ZipInspection = { blobSettings: BlobSettings; key: string; os: Os | undefined };

const INSPECT_THREAD = new URL('./inspect.thread.ts', import.meta.url);
/** The heap holds 200,000 entries in 150 MB. */
const INSPECT_LIMITS = { timeoutMs: 30_000, maxHeapMb: 512 };
/** Many uploads can end at the same time, and each inspection may take that much memory. */
const inTurn = limitConcurrency(4);

/**
 * Why the zip under `key` is refused for a build of `os`; null if its central directory passes the rules. Rejects with
 * BlobMissingError, with the errors of the blob store, with `unavailable` if it doesn't respond, and with
 * ThreadCrashError.
 */
export async function inspectZip(blobSettings: BlobSettings, key: string, os?: Os): Promise<ZipRefusal | null> {
  const input: ZipInspection = { blobSettings, key, os };
  try {
    return await inTurn(() => runInThread<ZipRefusal | null>(INSPECT_THREAD, input, INSPECT_LIMITS, BLOB_FAILURES));
  } catch (cause) {
    // The rules take a second at most. The rest is waiting for the blob store.
    throw cause instanceof ThreadTimeoutError ? errors.unavailable(undefined, { cause }) : cause;
  }
}

/** `detail` is the reason, as a sentence for the developer; null if the video was accepted. */
export type VideoScan = { state: (typeof STATES)[keyof typeof STATES]; detail: string | null };

/**
 * Scans the video of `size` bytes under `key`. Rejects if a retry may help: with ScannerUnavailableError, except in the
 * last attempt, and with the errors of the blob store.
 */
export async function scanVideo(
  ctx: Context,
  { key, size }: { key: string; size: number },
  attempt: Attempt,
): Promise<VideoScan> {
  const { outcome, detail } = await examineBlob(ctx, { key, size, content: 'video', manifest: null }).catch(
    (error: unknown) => {
      if (!(error instanceof ScannerUnavailableError) || attempt.last) return failureOf(error, 'video');
      ctx.metrics.scanRetries.inc();
      throw error;
    },
  );
  return { state: STATES[outcome], detail };
}

type Payload = { gameId: string; fileId: string };

/** The attempts have delays of e^n seconds, and cover an outage of about a day. */
export const scanJob = defineJob('scans:scan', { attempts: 12, lane: 'long', changes: 'builds' }, scanFile);

/** Scans a file, unless that is done. Does nothing if it was deleted, because the sweep removes its blob. */
export async function scanFile(ctx: Context, { gameId, fileId }: Payload, attempt: Attempt): Promise<void> {
  const file = await findFile(ctx.db, gameId, fileId);
  if (file === null) return;
  const state = isSettled(file.scan_state) ? file.scan_state : await scanNow(ctx, file, attempt);
  if (isSettled(state) && !isOffered(state)) await ctx.blobs.delete(file.blob_key);
}

async function scanNow(ctx: Context, file: GameFileRow, attempt: Attempt): Promise<ScanState> {
  await transact(ctx.db, (tx) =>
    setScanState(tx, file, { state: 'scanning', engine: null, signatureVersion: null, detail: null }),
  );
  const begun = performance.now();
  try {
    return await conclude(ctx, file, await examineFile(ctx, file), begun);
  } catch (error) {
    if (!(error instanceof ScannerUnavailableError) || attempt.last)
      return conclude(ctx, file, failureOf(error, 'zip'), begun);
    ctx.metrics.scanRetries.inc();
    const detail = `The scanner could not be reached (attempt ${attempt.number}). The scan will be retried.`;
    await transact(ctx.db, (tx) =>
      setScanState(tx, file, { state: 'pending', engine: null, signatureVersion: null, detail }),
    );
    throw error;
  }
}

async function examineFile(ctx: Context, file: GameFileRow): Promise<Examination> {
  const build = await findBuild(ctx.db, file.game_id, file.build_id);
  const { version = '', os, arch = '' } = build ?? {};
  const origin = { game: file.game_id, build: file.build_id, file: file.file_id, version, os: os ?? '', arch };
  const manifest = { origin, checksum: file.checksum, key: manifestKeyOf(file.game_id, file.file_id) };
  return examineBlob(ctx, { key: file.blob_key, size: file.size, content: 'zip', os, manifest });
}

async function conclude(ctx: Context, file: GameFileRow, examination: Examination, begun: number): Promise<ScanState> {
  const state = STATES[examination.outcome];
  const { engine, signatureVersion, detail, entries, manifest } = examination;
  const moved = await transact(ctx.db, async (tx) => {
    // No channel may move to the build while it gets another file. A deletion locks them before files, too.
    if (isOffered(state)) await lockChannels(tx, file.game_id);
    if (!(await setScanState(tx, file, { state, engine, signatureVersion, detail }))) return false;
    await insertEntries(tx, file, entries);
    if (manifest !== null) await insertManifest(tx, file, manifest);
    const build = await findBuild(tx, file.game_id, file.build_id);
    if (build === null) return false;
    if (isOffered(state)) {
      await raiseSerialsOfBuild(tx, file.game_id, file.build_id);
      // A channel may offer the build already.
      await enqueuePatches(tx, file.game_id);
      return advanceChannel(tx, ctx.clock.now(), build);
    }
    await raiseAlerts(tx, file.game_id, [rejectionOf(ctx, file, build, detail)]);
    return false;
  });
  ctx.metrics.scans.observe({ state }, secondsSince(begun));
  ctx.log.info({ game: file.game_id, file: file.file_id, state, detail, moved }, 'scan ended');
  return state;
}

function rejectionOf(
  { clock }: Context,
  { file_id, filename }: GameFileRow,
  build: Build,
  detail: string | null,
): Alert {
  const { build_id, version, os, arch } = build;
  return {
    kind: 'upload_rejected',
    subject: file_id,
    happenedAt: clock.now(),
    data: { build_id, version, os, arch, filename, detail: detail ?? '' },
  };
}
