// Scans one uploaded file in a separate thread, with the settings of the service, and says what an error means for the
// developer.
import type { Os } from '@chauffeur/contract/identity';
import type { ScanState } from '@chauffeur/contract/operations/files';
import type { Context } from '../../context.ts';
import { BLOB_FAILURES } from '../../kernel/blobs/failures.ts';
import { BlobMissingError, type BlobSettings } from '../../kernel/blobs/store.ts';
import { ScannerUnavailableError } from '../../kernel/scanner/scanner.ts';
import { inSpan } from '../../kernel/telemetry/tracing.ts';
import { runInThread, ThreadCrashError, ThreadTimeoutError } from '../../kernel/threads/threads.ts';
import type { ZipFacts } from './write-manifest.ts';

/** A zip is unpacked, and checked by the rules for zips. A video is scanned as it is. */
type Content = 'zip' | 'video';

export type ExamineInput = {
  blobSettings: BlobSettings;
  key: string;
  content: Content;
  /** The size of the blob in bytes. */
  size: number;
  /** The OS of the build. Rules for the names of one OS are skipped if it is undefined. */
  os?: Os | undefined;
  /** What the manifest of a zip says of it, and where the manifest is stored; null for a video. */
  manifest: null | (ZipFacts & { key: string });
  /** The address of clamd and the maximum bytes of one stream to it; null without a scanner. */
  scanner: null | { address: string; streamLimit: number };
  timeoutMs: number;
};

/** An entry of the zip, as the provenance of the build lists it. */
export type ExaminedEntry = {
  path: string;
  type: 'file' | 'folder' | 'symlink';
  /** The unpacked size in bytes. */
  size: number;
  /** 64 hex characters; of the target if it is a link; null for a folder. */
  sha256: string | null;
};

export type Examination = {
  /**
   * `failed`: the zip is not safe to unpack, or the scanner skipped parts of the file. `unscanned`: the file is fine,
   * but there is no scanner.
   */
  outcome: 'clean' | 'infected' | 'failed' | 'unscanned';
  /** The reason, as a sentence for the developer; null if clean or unscanned. */
  detail: string | null;
  /** The scanner, such as `ClamAV 1.4.3`; null without one. */
  engine: string | null;
  /** The version of the signatures, such as `27800 (2026-11-20)`; null if the scanner does not report it. */
  signatureVersion: string | null;
  /**
   * The entries in the order of the directory; empty for a video, and if a zip is infected or was not read completely.
   */
  entries: ExaminedEntry[];
  /** The manifest that was stored for the zip; null for a video, and for a zip that is refused or can't have one. */
  manifest: null | { key: string; size: number; sha256: string };
};

const THREAD = new URL('./scan.thread.ts', import.meta.url);
/** The heap in MiB. 200,000 entries with long names, and the report on them, take 250. */
const MAX_HEAP_MB = 512;

/**
 * Returns the report on the file under `key`. Rejects with ScannerUnavailableError if the scanner cannot be reached,
 * and with the errors of the blob store; both are worth a retry. Rejects with BlobMissingError if the blob does not
 * exist, with ThreadTimeoutError after `timeoutMs`, and with ThreadCrashError if the thread ran out of memory.
 */
export function examine(input: ExamineInput): Promise<Examination> {
  const failures = [ScannerUnavailableError, ...BLOB_FAILURES];
  return runInThread(THREAD, input, { timeoutMs: input.timeoutMs, maxHeapMb: MAX_HEAP_MB }, failures);
}

/** The state of a file after an examination. */
export const STATES = {
  clean: 'clean',
  infected: 'infected',
  failed: 'error',
  unscanned: 'unscanned',
} as const satisfies Record<Examination['outcome'], ScanState>;

const MIN_TIME_MS = 15 * 60_000;
const MIN_BYTES_PER_MS = 2000;

type ExaminedBlob = Pick<ExamineInput, 'key' | 'size' | 'content' | 'os' | 'manifest'>;

/** Rejects like `examine`. */
export function examineBlob(ctx: Context, { size, ...blob }: ExaminedBlob): Promise<Examination> {
  const { clamd, clamdStreamLimit } = ctx.config;
  const input = {
    ...blob,
    size,
    blobSettings: ctx.blobs.settings,
    scanner: clamd === undefined ? null : { address: clamd, streamLimit: clamdStreamLimit },
    timeoutMs: MIN_TIME_MS + size / MIN_BYTES_PER_MS,
  };
  return inSpan('scan', { attributes: { 'chauffeur.file.size': size } }, () => examine(input));
}

/** The failed examination for an error that a retry cannot fix; rethrows all other errors. */
export function failureOf(error: unknown, content: Content): Examination {
  const detail = reasonOf(error, content);
  if (detail === null) throw error;
  return { outcome: 'failed', detail, engine: null, signatureVersion: null, entries: [], manifest: null };
}

function reasonOf(error: unknown, content: Content): string | null {
  if (error instanceof ScannerUnavailableError) return 'The scanner could not be reached. Upload the file again later.';
  if (error instanceof ThreadTimeoutError) return `The scan timed out; the ${content} may be malformed or malicious.`;
  if (error instanceof ThreadCrashError)
    return `The scan ran out of memory; the ${content} may be malformed or malicious.`;
  if (error instanceof BlobMissingError) return 'The stored file is missing. Upload it again.';
  return null;
}
