// Runs the thread that makes the difference of two manifests, or a patch pack.
import type { Context } from '../../context.ts';
import { BLOB_FAILURES } from '../../kernel/blobs/failures.ts';
import type { BlobSettings } from '../../kernel/blobs/store.ts';
import { MINUTE } from '../../kernel/clock.ts';
import { runInThread } from '../../kernel/threads/threads.ts';
import { SpoolSpaceError } from './spool-content.ts';

/** The blobs of a file. */
export type ZipBlobs = { readonly zipKey: string; readonly manifestKey: string; readonly manifestSize: number };

/** The input of the thread. */
export type PatchInput = {
  readonly make: 'difference' | 'pack';
  readonly blobSettings: BlobSettings;
  readonly from: ZipBlobs;
  readonly to: ZipBlobs;
  /** Where the result is stored. */
  readonly key: string;
  /** The most bytes of a pack. */
  readonly maxBytes: number;
  /** Temporary files are made here. */
  readonly folder: string;
};

export type DifferenceOutput = { readonly size: number; readonly sha256: string; readonly blocksSize: number };

export type PackOutput =
  | { readonly outcome: 'made'; readonly size: number; readonly sha256: string }
  | { readonly outcome: 'not_smaller' | 'too_large' };

const THREAD = new URL('./make-patch.thread.ts', import.meta.url);
/** The heap has the manifests and what the search has found in a megabyte; buffers come in addition. */
const MAX_HEAP_MB = 512;
/** Worth a retry. */
const FAILURES = [...BLOB_FAILURES, SpoolSpaceError];

type Wanted = Pick<PatchInput, 'from' | 'to' | 'key'>;

/**
 * Stores the difference. Rejects with the reason of the signal when that is aborted, with SpoolSpaceError and errors of
 * the blob store, which are worth a retry, and with others, which are not.
 */
export function makeDifference(ctx: Context, wanted: Wanted, signal: AbortSignal): Promise<DifferenceOutput> {
  const input: PatchInput = { ...inputOf(ctx, wanted), make: 'difference', maxBytes: 0 };
  return runInThread(THREAD, input, { timeoutMs: 2 * MINUTE, maxHeapMb: MAX_HEAP_MB, signal }, FAILURES);
}

/** Stores the pack. Rejects like `makeDifference`. */
export function makePatch(
  ctx: Context,
  { maxBytes, ...wanted }: Wanted & { maxBytes: number },
  signal: AbortSignal,
): Promise<PackOutput> {
  const input: PatchInput = { ...inputOf(ctx, wanted), make: 'pack', maxBytes };
  return runInThread(THREAD, input, { timeoutMs: 20 * MINUTE, maxHeapMb: MAX_HEAP_MB, signal }, FAILURES);
}

function inputOf({ blobs, config }: Context, wanted: Wanted) {
  return { ...wanted, blobSettings: blobs.settings, folder: `${config.dataFolder}/patches` };
}

/** Whether a failure may pass. */
export function isPassing(error: unknown): boolean {
  return FAILURES.some((Failure) => error instanceof Failure);
}
