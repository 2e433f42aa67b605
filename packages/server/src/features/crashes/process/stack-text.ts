// The report of a stackwalk for reading, made of the JSON that is stored of it.
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { MIB } from '@chauffeur/contract/limits';
import type { Report } from '@chauffeur/minidump/report';
import { formatReport } from '@chauffeur/minidump/text';
import type { BlobStore } from '../../../kernel/blobs/store.ts';

const unzip = promisify(gunzip);

/** The limits of a stackwalk keep reports far below. */
const MOST_BYTES = 256 * MIB;

/**
 * The text of the report stored under `key`: the same for the same report. Private paths were taken out before it was stored. Rejects with
 * BlobMissingError when the blob is gone.
 */
export async function readStackText(blobs: BlobStore, key: string): Promise<string> {
  const json = await unzip(await buffer(await blobs.read(key)), { maxOutputLength: MOST_BYTES });
  return formatReport(JSON.parse(json.toString()) as Report);
}
