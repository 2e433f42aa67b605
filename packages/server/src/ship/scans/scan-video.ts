// The virus scan of a video, whose container was checked when it was uploaded.
import { BlobCursor } from '../../kernel/blobs/blob-bytes.ts';
import type { BlobStore } from '../../kernel/blobs/store.ts';
import type { Scanner } from '../../kernel/scanner/scanner.ts';
import type { Examination } from './examine.ts';
import { describeInfected, scanInWindows } from './part-scans.ts';

/**
 * Scans the video of `size` bytes under `key`. Rejects with ScannerUnavailableError if the scanner cannot be reached,
 * which is worth a retry, and with the store's errors. Memory use does not depend on the size.
 */
export async function scanVideo(
  store: BlobStore,
  key: string,
  size: number,
  scanner: Scanner | null,
): Promise<Examination> {
  if (scanner === null)
    return { outcome: 'unscanned', detail: null, engine: null, signatureVersion: null, entries: [] };
  const { engine, signatures } = await scanner.version();
  const verdict = await scanInWindows(scanner, new BlobCursor(store, key, size).stream(size));
  const rest = { engine, signatureVersion: signatures, entries: [] };
  switch (verdict.result) {
    case 'clean':
      return { outcome: 'clean', detail: null, ...rest };
    case 'infected':
      return { outcome: 'infected', detail: describeInfected(verdict.signature, 'the video'), ...rest };
    case 'not-scanned': {
      const detail = `The scanner skipped the video (${verdict.reason}). Ask the operator to raise the scanner's limits.`;
      return { outcome: 'failed', detail, ...rest };
    }
  }
}
