// One chunk of an upload session: it must continue the received bytes, is stored durably before it counts, and the last
// one completes the upload.

import { ApiError, errors, isError } from '@chauffeur/contract/errors';
import type * as contract from '@chauffeur/contract/operations/uploads';
import type { Context, GameCaller } from '../../context.ts';
import { BlobMissingError, type BlobUpload } from '../../kernel/blobs/store.ts';
import { type Tx, transact } from '../../kernel/database/db.ts';
import type { FilePart } from '../../request/multipart.ts';
import { createReceiver, type Receiver, storeBytes } from '../../request/receive-bytes.ts';
import { findBuild, requireBuild } from '../builds/builds.ts';
import { findFile } from '../files/files.ts';
import { findBundle } from './blocks.sql.ts';
import { completeBlob, completeFile, uploadedFileOf } from './complete-file.ts';
import { enqueueComposition } from './compose.job.ts';
import {
  beginChunk,
  dropSession,
  forgetHash,
  hashAt,
  lockSession,
  rememberHash,
  requireSession,
  takenOver,
  type UploadSession,
  unknownSession,
} from './upload-session.ts';
import * as sessions from './uploads.sql.ts';

type ReadFile = (onFile: (part: FilePart) => Promise<void>, signal?: AbortSignal) => Promise<unknown>;

/** Receives the chunk that the headers announce. `readFile` reads the form and passes on its file part. */
export async function receiveChunk(
  ctx: Context,
  caller: GameCaller,
  headers: { sessionId: string; contentRange: string },
  readFile: ReadFile,
): Promise<contract.ChunkReceipt | contract.BundleReceipt | contract.UploadedFile> {
  const range = readHeaders(headers);
  const unlocked = await requireSession(ctx, caller, headers.sessionId);
  requireSameTotal(unlocked, range);
  if (unlocked.finished_at !== null) return repeatLast(ctx, unlocked, range, readFile);
  const { session, lock, lost, release } = await lockSession(ctx, unlocked);
  try {
    requireContinuation(session, range);
    const isLast = range.end + 1 === session.total_size;
    const { upload, receiver } = await store(ctx, session, range, readFile, lost);
    if (isLast) return await finish(ctx, session, lock, upload, receiver);
    return await commit(ctx, session, lock, upload, receiver);
  } catch (error) {
    if (isLost(error)) {
      ctx.log.warn({ err: error, session: session.session_id }, 'the stored bytes of an upload session are gone');
      await dropSession(ctx, session);
      throw unknownSession();
    }
    // After a success, the statement that counts the bytes has released the lock.
    await release();
    throw error;
  }
}

/** Whether the bytes of the session are gone, as after a restore, or a move to another blob store. */
function isLost(error: unknown): boolean {
  return error instanceof BlobMissingError || (error instanceof ApiError && error.cause instanceof BlobMissingError);
}

function readHeaders({ sessionId, contentRange }: { sessionId: string; contentRange: string }): ContentRange {
  if (sessionId === '')
    throw errors.invalidChunk('X-Upload-Session-ID: missing. Send the session_id of the open session.');
  const range = parseContentRange(contentRange);
  if (range === null)
    throw errors.invalidChunk('Content-Range: missing or malformed. Send bytes <start>-<end>/<total_size>.');
  return range;
}

function requireSameTotal(session: UploadSession, range: ContentRange): void {
  if (range.total === session.total_size) return;
  throw errors.invalidChunk(`Content-Range: wrong total. This session was opened for ${session.total_size} bytes.`, {
    data: { current_size: session.current_size },
  });
}

function requireContinuation(session: UploadSession, range: ContentRange): void {
  if (range.start === session.current_size) return;
  throw errors.invalidChunk(`Content-Range: the session has ${session.current_size} bytes. Continue there.`, {
    status: 409,
    data: { current_size: session.current_size },
  });
}

/**
 * Repeats the response for the last chunk to a client that did not receive it and sends the chunk again. Nothing is
 * stored twice.
 */
async function repeatLast(
  ctx: Context,
  session: UploadSession,
  range: ContentRange,
  readFile: ReadFile,
): Promise<contract.UploadedFile | contract.BundleReceipt> {
  const bundle = await findBundle(ctx.db, session.game_id, session.session_id);
  if (bundle !== undefined && range.end + 1 === session.total_size) {
    await readFile(drain);
    return receiptOf(session);
  }
  const [file, build] = await Promise.all([
    findFile(ctx.db, session.game_id, session.file_id),
    findBuild(ctx.db, session.game_id, session.build_id),
  ]);
  if (file === null || build === null || range.end + 1 !== session.total_size) {
    throw errors.unknownSession('X-Upload-Session-ID: this session is complete. Open a new session.');
  }
  await readFile(drain);
  return uploadedFileOf(file, build);
}

async function drain({ bytes }: FilePart): Promise<void> {
  for await (const _ of bytes);
}

type Stored = { upload: BlobUpload; receiver: Receiver | null };

/** Appends the bytes of the chunk durably. They do not count until `commitChunk`. */
async function store(
  ctx: Context,
  session: UploadSession,
  range: ContentRange,
  readFile: ReadFile,
  lost: AbortSignal,
): Promise<Stored> {
  const length = range.end - range.start + 1;
  if (range.end + 1 === session.total_size && (await wasCompleted(ctx, session))) {
    await readFile(drain);
    return { upload: { ...session.blob, size: session.total_size }, receiver: null };
  }
  const underWay = beginChunk(ctx, session.session_id);
  const receiver = createReceiver({
    maxBytes: length,
    tooLarge: () =>
      errors.tooLarge(
        `The chunk is larger than the ${length} bytes of its Content-Range. Send exactly that range.`,
        currentSize(session),
      ),
    hash: hashAt(ctx, session.session_id, session.current_size),
    onBytes: underWay.progress,
  });
  try {
    let upload = session.blob;
    await readFile(
      async (part) => {
        upload = await storeBytes(ctx.blobs, session.blob, receiver, part.bytes);
        if (receiver.size < length)
          throw errors.invalidChunk(
            `The chunk is smaller than the ${length} bytes of its Content-Range. Send exactly that range.`,
            currentSize(session),
          );
      },
      AbortSignal.any([lost, underWay.signal]),
    );
    ctx.metrics.uploadedBytes.inc({ way: 'chunk' }, length);
    return { upload, receiver };
  } finally {
    underWay.end();
  }
}

function currentSize(session: UploadSession) {
  return { data: { current_size: session.current_size } };
}

/** Whether an earlier process completed the blob but died before it recorded the file. */
async function wasCompleted(ctx: Context, session: UploadSession): Promise<boolean> {
  return (await ctx.blobs.stat(session.blob.key))?.size === session.total_size;
}

async function commit(
  ctx: Context,
  session: UploadSession,
  lock: sessions.Lock,
  upload: BlobUpload,
  receiver: Receiver | null,
): Promise<contract.ChunkReceipt> {
  if (!(await sessions.commitChunk(ctx.db, session, lock, upload))) throw takenOver();
  if (receiver?.hash) rememberHash(ctx, session.session_id, upload.size, receiver.hash);
  return {
    session_id: session.session_id,
    current_size: upload.size,
    expected_size: session.total_size,
    progress: Math.floor((upload.size / session.total_size) * 1000) / 10,
  };
}

async function finish(
  ctx: Context,
  session: UploadSession,
  lock: sessions.Lock,
  upload: BlobUpload,
  receiver: Receiver | null,
): Promise<contract.UploadedFile | contract.BundleReceipt> {
  const build = await requireBuild(ctx.db, session.game_id, { buildId: session.build_id });
  const bundle = await findBundle(ctx.db, session.game_id, session.session_id);
  const arrival = {
    build,
    fileId: session.file_id,
    filename: session.filename,
    checksum: session.checksum,
    origin: session.origin ?? { type: 'deploy_key', key_ref: session.key_ref },
    upload,
    digest: receiver?.hash?.digest('hex') ?? null,
  };
  try {
    // The session has already reserved the storage.
    const before = async (tx: Tx) => {
      if (!(await sessions.finishSession(tx, session, lock, ctx.clock.now()))) throw takenOver();
    };
    if (bundle !== undefined) {
      await completeBlob(ctx, arrival);
      await transact(ctx.db, async (tx) => {
        await before(tx);
        await enqueueComposition(tx, session);
      });
      forgetHash(ctx, session.session_id);
      return receiptOf(session);
    }
    const file = await completeFile(ctx, arrival, { before });
    forgetHash(ctx, session.session_id);
    return file;
  } catch (error) {
    // The complete upload is invalid, so further chunks cannot fix it.
    if (isError(error, 'wrongChecksum', 'invalidFile')) await dropSession(ctx, session);
    throw error;
  }
}

function receiptOf({ session_id }: UploadSession): contract.BundleReceipt {
  return { session_id, state: 'composing' };
}

/** The bytes from `start` to `end`, both inclusive, of `total`. */
type ContentRange = { start: number; end: number; total: number };

const PATTERN = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/i;

/** Parses `bytes <start>-<end>/<total>` (RFC 9110, section 14.4; the total is required). Null if malformed. */
function parseContentRange(header: string): ContentRange | null {
  const [, start, end, total] = PATTERN.exec(header.trim())?.map(Number) ?? [];
  if (start === undefined || end === undefined || total === undefined) return null;
  return start <= end && end < total ? { start, end, total } : null;
}
