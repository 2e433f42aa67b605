// Scans one uploaded zip in a thread of its own.
import type { Os } from '@chauffeur/contract/identity';
import type { BlobSettings } from '../../kernel/blobs/open.ts';
import { BlobMissingError } from '../../kernel/blobs/store.ts';
import { ScannerUnavailableError } from '../../kernel/scanner/scanner.ts';
import { runInThread } from '../../kernel/threads.ts';

export type ExamineInput = {
  blobSettings: BlobSettings;
  key: string;
  /** Bytes of the blob. */
  size: number;
  /** Of the build; rules for the names of one system are left out where it is not known. */
  os?: Os | undefined;
  /** clamd's address and the bytes that one stream to it may have; null when there is no scanner. */
  scanner: null | { address: string; streamLimit: number };
  timeoutMs: number;
};

/** An entry of the zip, as its provenance lists it. */
export type ExaminedEntry = {
  path: string;
  type: 'file' | 'folder' | 'symlink';
  /** Bytes when unpacked. */
  size: number;
  /** 64 hex characters; of a link’s target where it is a link; null for a folder. */
  sha256: string | null;
};

export type Examination = {
  /**
   * `failed`: not a zip that is safe to unpack, or the scanner did not look at all of it. `unscanned`: a good zip, and there
   * is no scanner.
   */
  outcome: 'clean' | 'infected' | 'failed' | 'unscanned';
  /** Why, as a sentence for the developer; null when clean or unscanned. */
  detail: string | null;
  /** The scanner, such as `ClamAV 1.4.3`; null when there is none. */
  engine: string | null;
  /** Such as `27800 (2026-11-20)`; null when the scanner does not tell. */
  signatureVersion: string | null;
  /** In the directory’s order; empty when the zip is infected or was not read to its end. */
  entries: ExaminedEntry[];
};

const THREAD = new URL('./scan.thread.ts', import.meta.url);
/** Mebibytes of heap; 200,000 entries with long names, and their report, take 250. */
const MAX_HEAP_MB = 512;

/**
 * The report on the zip under `key`. Rejects with ScannerUnavailableError when the scanner cannot be asked, and with the store's
 * errors: both are worth another try. Rejects with BlobMissingError when there is no such blob, with ThreadTimeoutError after
 * `timeoutMs`, and with ThreadCrashError when the zip drove the thread out of its memory.
 */
export function examine(input: ExamineInput): Promise<Examination> {
  const failures = [ScannerUnavailableError, BlobMissingError];
  return runInThread(THREAD, input, { timeoutMs: input.timeoutMs, maxHeapMb: MAX_HEAP_MB }, failures);
}
