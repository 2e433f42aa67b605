// The bytes of a video for the readers of its container, and the error for videos that they refuse.
import { KIB } from '@chauffeur/contract/limits';
import { readBytes } from '../../kernel/blobs/blob-bytes.ts';
import type { BlobStore } from '../../kernel/blobs/store.ts';

export type VideoBytes = {
  readonly size: number;
  /** Reads the `length` bytes from `start`, all of which must exist. */
  read(start: number, length: number): Promise<Buffer>;
};

/** The video cannot be shown; the message says why, without a full stop. */
export class VideoError extends Error {
  override readonly name = 'VideoError';
}

export function damagedVideo(): VideoError {
  return new VideoError('damaged or cut off. Export it again');
}

/** No video has more tracks. Without a limit, the bytes that may describe them could describe a million. */
const MAX_TRACKS = 100;

/** Throws VideoError if there are too many tracks to remember. */
export function collectTracks<Track>(tracks: IteratorObject<Track>): Track[] {
  const found = tracks.take(MAX_TRACKS + 1).toArray();
  if (found.length > MAX_TRACKS) throw new VideoError('made of too many tracks. Export it again');
  return found;
}

/** Small enough for a file whose boxes are far apart, large enough for one with thousands of small boxes in a row. */
const PAGE_BYTES = 256 * KIB;

/**
 * Reads a blob in pages and keeps the last one, so that each page is fetched once by a reader that only goes forward.
 */
export function pagedBytes(store: BlobStore, key: string, size: number): VideoBytes {
  let page: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };
  return {
    size,
    async read(start, length) {
      if (length === 0) return Buffer.alloc(0);
      const isInPage = start >= page.start && start + length <= page.start + page.bytes.length;
      if (!isInPage) {
        const end = Math.min(size, start + Math.max(length, PAGE_BYTES));
        page = { start, bytes: await readBytes(store, key, start, end) };
      }
      return page.bytes.subarray(start - page.start, start - page.start + length);
    },
  };
}
