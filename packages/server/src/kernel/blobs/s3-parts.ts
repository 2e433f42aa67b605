// Decides how to split a blob into the parts of an S3 multipart upload, and what to remember between two requests.
import { BlobMissingError, type BlobUpload, type ByteSource, TAIL_SUFFIX } from './store.ts';

const MIB = 1024 * 1024;

/** The size of a part: one chunk of the command-line tool, so that a chunk becomes a part. 5 GiB make 320 parts. */
export const PART_BYTES = 16 * MIB;

/** S3 accepts smaller parts only at the end (Amazon S3 User Guide, "multipart upload limits"). */
export const MIN_PART_BYTES = 5 * MIB;

export type S3Part = { readonly etag: string; readonly size: number };
export type S3Tail = { readonly slot: 0 | 1; readonly size: number };

/**
 * The durable bytes of a blob: its parts in order (numbers start at 1), then the tail.
 *
 * Chunks may have any size, but parts may not: the end of a chunk that is too small for a part is stored as a
 * separate object, the tail, and precedes the next chunk. Example: after chunks of 17 MiB and 1 MiB there are a part
 * of 16 MiB and a tail of 2 MiB. Two names alternate for the tail, because the tail of the last known state must survive an
 * append that fails or whose result never reaches the database.
 */
export type S3State = {
  readonly uploadId: string | null;
  readonly parts: readonly S3Part[];
  readonly tail: S3Tail | null;
};

/**
 * The state in `upload`. Throws BlobMissingError if its sizes do not add up to `upload.size`, as for an upload that was
 * begun in another kind of store: the blob would be corrupt.
 */
export function readS3State(upload: BlobUpload): S3State {
  const state = (upload.parts ?? { uploadId: null, parts: [], tail: null }) as S3State;
  const size = state.parts.reduce((sum, part) => sum + part.size, state.tail?.size ?? 0);
  if (size !== upload.size)
    throw new BlobMissingError(`The parts of blob ${upload.key} have ${size} bytes, not ${upload.size}`);
  return state;
}

export function tailName(key: string, slot: 0 | 1): string {
  return `${key}.${slot}${TAIL_SUFFIX}`;
}

/** All names that a tail of `key` can have. */
export function tailNames(key: string): string[] {
  return [tailName(key, 0), tailName(key, 1)];
}

/** Returns the key whose tail has this name; null if it is not the name of a tail. */
export function keyOfTail(name: string): string | null {
  return name.endsWith(TAIL_SUFFIX) ? name.slice(0, -tailName('', 0).length) : null;
}

/** The slot for the next tail. */
export function nextSlot(tail: S3Tail | null): 0 | 1 {
  return tail?.slot === 0 ? 1 : 0;
}

/** Consecutive bytes, still in the buffers in which they arrived. */
export type Piece = { buffers: Uint8Array[]; size: number };

/**
 * Cuts `source` into pieces of exactly `pieceBytes`, without copying. The last piece may be smaller but is never empty.
 */
export async function* cutPieces(source: ByteSource, pieceBytes: number): AsyncGenerator<Piece> {
  let piece: Piece = { buffers: [], size: 0 };
  for await (let bytes of source) {
    while (bytes.byteLength > 0) {
      const head = bytes.subarray(0, pieceBytes - piece.size);
      bytes = bytes.subarray(head.byteLength);
      piece.buffers.push(head);
      piece.size += head.byteLength;
      if (piece.size < pieceBytes) continue;
      yield piece;
      piece = { buffers: [], size: 0 };
    }
  }
  if (piece.size > 0) yield piece;
}
