// The thread of `examine`: scans one file and returns the report.

import { BlobCursor } from '../../kernel/blobs/blob-bytes.ts';
import { openBlobStore } from '../../kernel/blobs/open.ts';
import type { BlobStore } from '../../kernel/blobs/store.ts';
import { createClamdScanner } from '../../kernel/scanner/clamd.ts';
import type { Scanner } from '../../kernel/scanner/scanner.ts';
import { answerTask } from '../../kernel/threads/threads.ts';
import type { Examination, ExamineInput } from './examine.ts';
import { scanZip } from './scan-zip.ts';
import { describeInfected, scanInWindows } from './section-scans.ts';
import { writeManifest, type ZipFacts } from './write-manifest.ts';
import type { ZipReading } from './zip-content.ts';

await answerTask(async ({ blobSettings, key, content, size, os, manifest, scanner: options }: ExamineInput) => {
  const store = openBlobStore(blobSettings);
  const scanner = options === null ? null : createClamdScanner(options);
  try {
    if (content === 'video') return await scanVideo(store, key, size, scanner);
    let stored: Examination['manifest'] = null;
    const examination = await scanZip(store, key, size, scanner, {
      os,
      onRead: async (reading) => {
        stored = manifest && (await storeManifest(store, reading, manifest));
      },
    });
    return { ...examination, manifest: stored };
  } finally {
    await store.close();
  }
});

async function storeManifest(
  store: BlobStore,
  reading: ZipReading,
  { key, ...facts }: ZipFacts & { key: string },
): Promise<Examination['manifest']> {
  const written = writeManifest(reading, facts);
  if (written === null) return null;
  await store.putWhole(key, written.packed);
  return { key, size: written.packed.length, sha256: written.sha256.toString('hex') };
}

/**
 * Scans every byte of a video, whose container was checked when it was uploaded: the one of `size` bytes under `key`.
 * Rejects with ScannerUnavailableError if the scanner cannot be reached, which is worth a retry, and with the errors of
 * the blob store. Memory use does not depend on the size.
 */
async function scanVideo(store: BlobStore, key: string, size: number, scanner: Scanner | null): Promise<Examination> {
  if (scanner === null)
    return { outcome: 'unscanned', detail: null, engine: null, signatureVersion: null, entries: [], manifest: null };
  const { engine, signatures } = await scanner.version();
  const verdict = await scanInWindows(scanner, new BlobCursor(store, key, size).stream(size));
  const rest = { engine, signatureVersion: signatures, entries: [], manifest: null };
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
