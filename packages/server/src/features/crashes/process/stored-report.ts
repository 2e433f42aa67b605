// Reads the report of a stackwalk back from where it is stored: packed JSON, from which private paths were taken out before.
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip, gunzipSync, zstdDecompress } from 'node:zlib';
import { MIB } from '@chauffeur/contract/limits';
import type { Report } from '@chauffeur/minidump/report';
import { isPacked, unpackNow } from '../../../kernel/blobs/packed.ts';
import type { BlobStore } from '../../../kernel/blobs/store.ts';

/** Reports were stored with gzip before zstd. */
const unpackers = { zstd: promisify(zstdDecompress), gzip: promisify(gunzip) };

/** The limits of a stackwalk keep reports far below. */
const MAX_BYTES = 256 * MIB;

/** The report under `key`. Rejects with BlobMissingError when the blob is gone. */
export async function readStoredReport(blobs: BlobStore, key: string): Promise<Report> {
  const unpack = isPacked(key) ? unpackers.zstd : unpackers.gzip;
  const json = await unpack(await buffer(await blobs.read(key)), { maxOutputLength: MAX_BYTES });
  return JSON.parse(json.toString()) as Report;
}

/** As `readStoredReport`, of the bytes of the blob. For a thread that has nothing else to do meanwhile. */
export function parseStoredReport(key: string, bytes: Uint8Array): Report {
  const json = isPacked(key) ? unpackNow(bytes, MAX_BYTES) : gunzipSync(bytes, { maxOutputLength: MAX_BYTES });
  return JSON.parse(json.toString()) as Report;
}
