// Reads the stored report of a stackwalk: compressed JSON without private paths.
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip, gunzipSync, zstdDecompress } from 'node:zlib';
import { MIB } from '@chauffeur/contract/limits';
import type { Report } from '@chauffeur/minidump/report';
import { isPacked, unpackNow } from '../../../kernel/blobs/packed.ts';
import type { BlobStore } from '../../../kernel/blobs/store.ts';

/** Old reports are compressed with gzip. */
const unpackers = { zstd: promisify(zstdDecompress), gzip: promisify(gunzip) };

/** The limits of the stackwalk keep reports far smaller. */
const MAX_BYTES = 256 * MIB;

/** The report under `key`. Rejects with BlobMissingError if the blob is gone. */
export async function readStoredReport(blobs: BlobStore, key: string): Promise<Report> {
  const unpack = isPacked(key) ? unpackers.zstd : unpackers.gzip;
  const json = await unpack(await buffer(await blobs.read(key)), { maxOutputLength: MAX_BYTES });
  return JSON.parse(json.toString()) as Report;
}

/** Does the same as `readStoredReport`, from the bytes of the blob. Blocks the thread. */
export function parseStoredReport(key: string, bytes: Uint8Array): Report {
  const json = isPacked(key) ? unpackNow(bytes, MAX_BYTES) : gunzipSync(bytes, { maxOutputLength: MAX_BYTES });
  return JSON.parse(json.toString()) as Report;
}
