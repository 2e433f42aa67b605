// The report of a stackwalk for reading, made of the JSON that is stored of it.
import { formatReport } from '@chauffeur/minidump/text';
import type { BlobStore } from '../../../kernel/blobs/store.ts';
import { readStoredReport } from './stored-report.ts';

/** The text of the report stored under `key`: the same for the same report. Rejects with BlobMissingError when the blob is gone. */
export async function readStackText(blobs: BlobStore, key: string): Promise<string> {
  return formatReport(await readStoredReport(blobs, key));
}
