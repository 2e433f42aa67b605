// Completes an upload: verifies the checksum, completes the blob, checks the zip, and records the file with its scan
// job.
import { ApiError, errors } from '@chauffeur/contract/errors';
import type { UploadedFile } from '@chauffeur/contract/operations/uploads';
import type { Context } from '../../context.ts';
import type { BlobUpload } from '../../kernel/blobs/store.ts';
import { secondsSince } from '../../kernel/clock.ts';
import { type Tx, transact } from '../../kernel/database/db.ts';
import { inSpan } from '../../kernel/telemetry/tracing.ts';
import { asKnownError } from '../../request/failures.ts';
import { hashOf } from '../../request/receive-bytes.ts';
import { type Build, orDeletedBuild } from '../builds/builds.ts';
import { addFileRow, type FileOrigin, fileSummaryOf, type GameFileRow, type ReusedBytes } from '../files/files.ts';
import { enqueueScan, inspectZip } from '../scans/scans.ts';

export type Arrival = {
  build: Build;
  fileId: string;
  filename: string;
  /** The SHA-256 that the client announced, in 64 lowercase hex digits. */
  checksum: string;
  origin: FileOrigin;
  upload: BlobUpload;
  /** Which earlier files parts of the zip are from, if it was composed. */
  reused?: readonly ReusedBytes[];
  /** SHA-256 of the bytes if they were hashed on arrival; null if the blob has to be read once. */
  digest: string | null;
};

/** Other steps of the transaction, before and after the row of the file is written. */
export type RecordSteps = { before?: (tx: Tx) => Promise<void>; after?: (tx: Tx) => Promise<void> };

/**
 * Throws `wrongChecksum` and `invalidFile`, after which the caller deletes the blob, and `fileNotSaved` if the row
 * could not be written, or `unavailable` without the database, after which the upload can be retried. `steps` run in
 * the transaction that records the file.
 */
export async function completeFile(ctx: Context, arrival: Arrival, steps: RecordSteps): Promise<UploadedFile> {
  const begun = performance.now();
  let outcome: 'stored' | 'refused' | 'failed' = 'failed';
  try {
    const file = await inSpan('complete upload', {}, () => complete(ctx, arrival, steps));
    outcome = 'stored';
    return file;
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) outcome = 'refused';
    throw error;
  } finally {
    ctx.metrics.uploadCompletions.observe({ outcome }, secondsSince(begun));
  }
}

async function complete(ctx: Context, arrival: Arrival, steps: RecordSteps): Promise<UploadedFile> {
  await completeBlob(ctx, arrival);
  return admitFile(ctx, arrival, steps);
}

/**
 * Makes the received bytes a blob. Throws `wrongChecksum` if they aren't what was announced.
 */
export async function completeBlob(
  ctx: Context,
  { upload, digest, checksum }: Pick<Arrival, 'upload' | 'digest' | 'checksum'>,
): Promise<void> {
  if (digest !== null) requireChecksum(digest, checksum);
  await ctx.blobs.complete(upload);
  if (digest === null) requireChecksum(await hashOf(await ctx.blobs.read(upload.key)), checksum);
}

/** Records a zip whose blob is complete, after a look at its directory. Throws like `completeFile`. */
export async function admitFile(
  ctx: Context,
  arrival: Omit<Arrival, 'digest'>,
  steps: RecordSteps,
): Promise<UploadedFile> {
  const { upload } = arrival;
  const refusal = await inspectZip(ctx.blobs.settings, upload.key, arrival.build.os);
  if (refusal !== null) {
    ctx.metrics.zipRefusals.inc({ rule: refusal.rule });
    throw errors.invalidFile(refusal.reason);
  }
  return uploadedFileOf(await record(ctx, arrival, steps), arrival.build);
}

function requireChecksum(digest: string, announced: string): void {
  if (digest !== announced)
    throw errors.wrongChecksum(
      'checksum: the received bytes have a different SHA-256. Compute it again and restart the upload.',
    );
}

async function record(
  ctx: Context,
  arrival: Omit<Arrival, 'digest'>,
  { before, after }: RecordSteps,
): Promise<GameFileRow> {
  const { build, fileId, filename, checksum, upload, origin, reused = null } = arrival;
  try {
    return await transact(ctx.db, async (tx) => {
      await before?.(tx);
      const file = await addFileRow(tx, {
        gameId: build.game_id,
        fileId,
        buildId: build.build_id,
        filename,
        size: upload.size,
        checksum,
        blobKey: upload.key,
        origin,
        reused,
      });
      await after?.(tx);
      await enqueueScan(tx, file);
      return file;
    });
  } catch (cause) {
    const error = orDeletedBuild(cause);
    throw asKnownError(error) ?? errors.fileNotSaved(undefined, { cause });
  }
}

/** The response to a completed upload. */
export function uploadedFileOf(file: GameFileRow, build: Build): UploadedFile {
  const { uploaded_at: _, ...summary } = fileSummaryOf(file);
  return { ...summary, build_id: build.build_id, os: build.os, arch: build.arch, channel: build.channel };
}
