// Reads the report of a stackwalk back from where it is stored: gzipped JSON, from which private paths were taken out before.
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { MIB } from '@chauffeur/contract/limits';
import type { Report } from '@chauffeur/minidump/report';
import type { BlobStore } from '../../../kernel/blobs/store.ts';

const unzip = promisify(gunzip);

/** The limits of a stackwalk keep reports far below. */
const MOST_BYTES = 256 * MIB;

/** The report under `key`. Rejects with BlobMissingError when the blob is gone. */
export async function readStoredReport(blobs: BlobStore, key: string): Promise<Report> {
  const json = await unzip(await buffer(await blobs.read(key)), { maxOutputLength: MOST_BYTES });
  return JSON.parse(json.toString()) as Report;
}
