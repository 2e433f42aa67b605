// Reads the files in a zip one by one.
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type Entry, openPromise } from 'yauzl';
import { readAt } from './tar.ts';

export type ZippedFile = {
  readonly path: string;
  /** Whether `readHead` returns compressed bytes. */
  readonly isCompressed: boolean;
  /** The first bytes, as they are in the zip. */
  readHead(length: number): Promise<Buffer>;
  /** The content, which is checked against the size that the zip says. */
  open(): Promise<Readable>;
};

const STORED = 0;

/** Yields the files, except encrypted ones and unusually compressed ones. Rejects if the zip is damaged. */
export async function* listZip(path: string): AsyncGenerator<ZippedFile> {
  await using file = await open(path);
  const zip = await openPromise(path, { autoClose: false });
  try {
    for await (const entry of zip.eachEntry() as AsyncIterable<Entry>) {
      if (entry.fileName.endsWith('/') || !entry.canDecodeFileData()) continue;
      yield {
        path: entry.fileName,
        isCompressed: entry.compressionMethod !== STORED,
        async readHead(length) {
          const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
          return readAt(file, fileDataStart, Math.min(length, entry.compressedSize));
        },
        open: () => zip.openReadStreamPromise(entry),
      };
    }
  } finally {
    zip.close();
  }
}
