// The thread of `inspectZip`: reads the directory of one zip and applies the rules to it.
import { LIMITS } from '@chauffeur/contract/limits';
import { openBlobStore } from '../../kernel/blobs/open.ts';
import { BlobMissingError } from '../../kernel/blobs/store.ts';
import { answerTask } from '../../kernel/threads/threads.ts';
import { readZipDirectory } from '../../kernel/zip/zip-directory.ts';
import { ZipError } from '../../kernel/zip/zip-entry.ts';
import type { ZipInspection } from './scans.ts';
import { judgeDirectory, UNREADABLE_ZIP, type ZipRefusal } from './zip-rules.ts';

await answerTask(async ({ blobSettings, key, os }: ZipInspection): Promise<ZipRefusal | null> => {
  const store = openBlobStore(blobSettings);
  try {
    const blob = await store.stat(key);
    if (blob === null) throw new BlobMissingError(`There is no blob ${key}`);
    return judgeDirectory(await readZipDirectory(store, key, blob.size, LIMITS.zipEntries), os);
  } catch (error) {
    if (error instanceof ZipError) return { rule: UNREADABLE_ZIP, reason: error.message };
    throw error;
  } finally {
    await store.close();
  }
});
