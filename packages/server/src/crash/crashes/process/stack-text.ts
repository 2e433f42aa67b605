// Formats the stored report of a stackwalk as text.
import { formatReport } from '@chauffeur/minidump/text';
import type { BlobStore } from '../../../kernel/blobs/store.ts';
import { readStoredReport } from './stored-report.ts';

/** The text of the report stored under `key`. Rejects with BlobMissingError if the blob is gone. */
export async function readStackText(blobs: BlobStore, key: string): Promise<string> {
  return formatReport(await readStoredReport(blobs, key));
}
