// The thread of `readWebBuild`: lists the files of one zip with their offsets, and the targets of its links.
import { text } from 'node:stream/consumers';
import { LIMITS } from '@chauffeur/contract/limits';
import { openBlobStore } from '../../kernel/blobs/open.ts';
import type { BlobStore } from '../../kernel/blobs/store.ts';
import { answerTask } from '../../kernel/threads/threads.ts';
import { readZipDirectory } from '../../kernel/zip/zip-directory.ts';
import type { ZipEntry } from '../../kernel/zip/zip-entry.ts';
import { readEntry } from './entry-bytes.ts';
import type { IndexInput, IndexOutput, WebEntry } from './web-build.ts';

/** Links that are read at once. With blobs on S3, each takes two requests. */
const LINKS_AT_ONCE = 16;

await answerTask(async ({ blobSettings, key, size }: IndexInput): Promise<IndexOutput> => {
  const store = openBlobStore(blobSettings);
  try {
    const { entryCount, entries } = await readZipDirectory(store, key, size, LIMITS.playEntries);
    if (entryCount > LIMITS.playEntries) return null;
    const files = entries.filter(({ type }) => type === 'file');
    const links = entries.filter(({ type }) => type === 'symlink');
    if (links.length > LIMITS.playLinks) return null;
    if ([...files, ...links].reduce((sum, { path }) => sum + path.length, 0) > LIMITS.playPathCharacters) return null;
    return {
      files: files.map((entry) => [entry.path, webEntryOf(entry)]),
      links: await readTargets(store, key, links),
    };
  } finally {
    await store.close();
  }
});

function webEntryOf({ offset, method, packedSize, size, crc32 }: ZipEntry): WebEntry {
  return { offset, isStored: method === 0, packedSize, size, crc32 };
}

/** The scan has limited the length of targets, and refused zips whose links lead out of them. */
async function readTargets(
  store: BlobStore,
  key: string,
  links: readonly ZipEntry[],
): Promise<[path: string, target: string][]> {
  const build = { blobKey: key, contentStarts: new WeakMap<WebEntry, number>() };
  const targets: [string, string][] = [];
  for (let start = 0; start < links.length; start += LINKS_AT_ONCE) {
    const reading = links
      .slice(start, start + LINKS_AT_ONCE)
      .map(
        async (link): Promise<[string, string]> => [
          link.path,
          await text(await readEntry(store, build, webEntryOf(link), null)),
        ],
      );
    targets.push(...(await Promise.all(reading)));
  }
  return targets;
}
