// Scans: a quick check of a zip before its upload gets a response, the job that scans all of it, and scans of videos.
import type { Os } from '@chauffeur/contract/identity';
import type { Context } from '../../context.ts';
import type { Tx } from '../../kernel/database/db.ts';
import { type Attempt, addJob } from '../../kernel/jobs/jobs.ts';
import { ScannerUnavailableError } from '../../kernel/scanner/scanner.ts';
import { examineBlob, failureOf, STATES } from './examine.ts';
import * as inspect from './inspect.ts';
import { scanJob } from './scan.job.ts';
import type { ZipRefusal } from './zip-rules.ts';

/** Enqueues the scan of a file, in the transaction that records it. */
export function enqueueScan(tx: Tx, file: { game_id: string; file_id: string }): Promise<void> {
  return addJob(tx, scanJob, { gameId: file.game_id, fileId: file.file_id });
}

/** Why the zip under `key` is refused for a build of `os`; null if its central directory passes the rules. */
export function inspectZip(ctx: Context, key: string, os: Os): Promise<ZipRefusal | null> {
  return inspect.inspectZip(ctx.blobs.settings, key, os);
}

/** `detail` is the reason, as a sentence for the developer; null if the video was accepted. */
export type VideoScan = { state: (typeof STATES)[keyof typeof STATES]; detail: string | null };

/**
 * Scans the video of `size` bytes under `key`. Rejects if a retry may help: with ScannerUnavailableError, except in the
 * last attempt, and with the store's errors.
 */
export async function scanVideo(
  ctx: Context,
  { key, size }: { key: string; size: number },
  attempt: Attempt,
): Promise<VideoScan> {
  const { outcome, detail } = await examineBlob(ctx, { key, size, content: 'video' }).catch((error: unknown) => {
    if (!(error instanceof ScannerUnavailableError) || attempt.last) return failureOf(error, 'video');
    ctx.metrics.scanRetries.inc();
    throw error;
  });
  return { state: STATES[outcome], detail };
}
