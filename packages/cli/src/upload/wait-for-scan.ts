// Waits for the scan of an uploaded file.
import type { Client } from '@chauffeur/contract/client';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getFile } from '@chauffeur/contract/operations/files';
import { LocalError, ScanError } from '../failures.ts';
import { type RetryOptions, retry } from '../retry.ts';

type FileRecord = OutputOf<typeof getFile>;

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 5_000;

/**
 * Resolves to the file once players can download it: clean, or unscanned if the service has no scanner. Rejects with ScanError if it
 * was rejected, or the scan did not finish within `minutes`.
 */
export async function waitForScan(
  client: Client,
  file: { file_uid: string },
  minutes: number,
  retryOptions: RetryOptions,
): Promise<FileRecord> {
  const { waiting, signal, note } = retryOptions;
  let left = minutes * 60_000;
  note('Waiting for the scan.');
  for (let delay = FIRST_DELAY_MS; ; delay = Math.min(delay * 1.5, MAX_DELAY_MS)) {
    const record = await retry(retryOptions, () => client.call(getFile, { file_uid: file.file_uid }, { signal }));
    if (record.status === 'clean' || record.status === 'unscanned') return record;
    if (record.status === 'infected' || record.status === 'error') throw failureOf(record);
    if (left <= 0) {
      throw new ScanError(`The scan did not finish within ${minutes} minutes.`, 'pending', record);
    }
    await waiting.pause(delay, signal);
    left -= delay;
  }
}

function failureOf(record: FileRecord): ScanError {
  const outcome = record.status === 'infected' ? 'The file is infected' : 'The file could not be scanned';
  return new ScanError(`${outcome}: ${record.detail ?? record.message}`, 'rejected', record);
}

/** Reads the value of --timeout. Throws LocalError. */
export function parseMinutes(text: string): number {
  const minutes = Number(text);
  if (minutes > 0 && Number.isFinite(minutes)) return minutes;
  throw new LocalError('--timeout is not a number of minutes above 0.', 'Use a value such as --timeout 45.');
}
