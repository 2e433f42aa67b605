// Examines a stored file with the settings of the service, and says what an error means for the developer.
import type { Os } from '@chauffeur/contract/identity';
import type { ScanState } from '@chauffeur/contract/operations/files';
import type { Context } from '../../context.ts';
import { BlobMissingError } from '../../kernel/blobs/store.ts';
import { ScannerUnavailableError } from '../../kernel/scanner/scanner.ts';
import { inSpan } from '../../kernel/telemetry/tracing.ts';
import { ThreadCrashError, ThreadTimeoutError } from '../../kernel/threads/thread-errors.ts';
import { type Content, type Examination, examine } from './examine.ts';

/** The state of a file after an examination. */
export const STATES = {
  clean: 'clean',
  infected: 'infected',
  failed: 'error',
  unscanned: 'unscanned',
} as const satisfies Record<Examination['outcome'], ScanState>;

const MIN_TIME_MS = 15 * 60_000;
const MIN_BYTES_PER_MS = 2000;

export type ExaminedBlob = { key: string; size: number; content: Content; os?: Os | undefined };

/** Rejects like `examine`. */
export function examineBlob(ctx: Context, { key, size, content, os }: ExaminedBlob): Promise<Examination> {
  const { clamd, clamdStreamLimit } = ctx.config;
  const input = {
    blobSettings: ctx.blobs.settings,
    key,
    content,
    size,
    os,
    scanner: clamd === undefined ? null : { address: clamd, streamLimit: clamdStreamLimit },
    timeoutMs: MIN_TIME_MS + size / MIN_BYTES_PER_MS,
  };
  return inSpan('scan', { attributes: { 'chauffeur.file.size': size } }, () => examine(input));
}

/** The failed examination for an error that a retry cannot fix; rethrows all other errors. */
export function failureOf(error: unknown, content: Content): Examination {
  const detail = reasonOf(error, content);
  if (detail === null) throw error;
  return { outcome: 'failed', detail, engine: null, signatureVersion: null, entries: [] };
}

function reasonOf(error: unknown, content: Content): string | null {
  if (error instanceof ScannerUnavailableError) return 'The scanner could not be reached. Upload the file again later.';
  if (error instanceof ThreadTimeoutError) return `The scan timed out; the ${content} may be malformed or malicious.`;
  if (error instanceof ThreadCrashError)
    return `The scan ran out of memory; the ${content} may be malformed or malicious.`;
  if (error instanceof BlobMissingError) return 'The stored file is missing. Upload it again.';
  return null;
}
