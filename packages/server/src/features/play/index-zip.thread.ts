// The thread of `readWebBuild`: lists the entries of one zip with their offsets.
import { LIMITS } from '@chauffeur/contract/limits';
import { openBlobStore } from '../../kernel/blobs/open.ts';
import { answerTask } from '../../kernel/threads/threads.ts';
import { readZipDirectory } from '../../kernel/zip/zip-directory.ts';
import type { IndexInput, IndexOutput } from './web-build.ts';

await answerTask(async ({ blobSettings, key, size }: IndexInput): Promise<IndexOutput> => {
  const store = openBlobStore(blobSettings);
  try {
    const { entryCount, entries } = await readZipDirectory(store, key, size, LIMITS.playEntries);
    if (entryCount > LIMITS.playEntries) return null;
    const files = entries.filter(({ type }) => type === 'file');
    if (files.reduce((sum, { path }) => sum + path.length, 0) > LIMITS.playPathCharacters) return null;
    return files.map(({ path, offset, method, packedSize, size: unpacked, crc32 }) => [
      path,
      { offset, isStored: method === 0, packedSize, size: unpacked, crc32 },
    ]);
  } finally {
    await store.close();
  }
});
