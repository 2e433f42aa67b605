// Decides how a blob becomes the parts of an S3 multipart upload, and what has to be remembered between two requests.
import { TAIL_SUFFIX } from './key.ts';
import type { BlobUpload, ByteSource } from './store.ts';

const MIB = 1024 * 1024;

/** What a part is cut to: the chunk of the command-line tool, so that a chunk is a part. 5 GiB make 320 of them. */
export const PART_BYTES = 16 * MIB;

/** S3 takes no smaller part unless it is the last one (Amazon S3 User Guide, "multipart upload limits"). */
export const LEAST_PART_BYTES = 5 * MIB;

export type S3Part = { readonly etag: string; readonly size: number };
export type S3Tail = { readonly slot: 0 | 1; readonly size: number };

/**
 * What is durable of a blob: its parts in order (the first has number 1), then the tail.
 *
 * Chunks may be of any size, parts may not: what is left of a chunk and too small for a part is kept as an object of its
 * own, the tail, and goes in front of the next chunk. Example: after chunks of 17 MiB and 1 MiB there is a part of 16 MiB
 * and a tail of 2 MiB. The tail is written to one of two names in turn, because the tail of the last known state has to
 * outlive an append that fails, or whose result never reached the database.
 */
export type S3State = {
  readonly uploadId: string | null;
  readonly parts: readonly S3Part[];
  readonly tail: S3Tail | null;
};

/** The state within `upload`. Throws when it does not add up to `upload.size`: the blob could only become a wrong one. */
export function readState(upload: BlobUpload): S3State {
  const state = (upload.parts ?? { uploadId: null, parts: [], tail: null }) as S3State;
  const size = state.parts.reduce((sum, part) => sum + part.size, state.tail?.size ?? 0);
  if (size !== upload.size) throw new Error(`The parts of blob ${upload.key} have ${size} bytes, not ${upload.size}`);
  return state;
}

export function tailName(key: string, slot: 0 | 1): string {
  return `${key}.${slot}${TAIL_SUFFIX}`;
}

/** Every name that a tail of `key` can have. */
export function tailNames(key: string): string[] {
  return [tailName(key, 0), tailName(key, 1)];
}

/** The key whose tail has this name; null when it is no tail. */
export function keyOfTail(name: string): string | null {
  return name.endsWith(TAIL_SUFFIX) ? name.slice(0, -tailName('', 0).length) : null;
}

/** The slot that the next tail goes to. */
export function nextSlot(tail: S3Tail | null): 0 | 1 {
  return tail?.slot === 0 ? 1 : 0;
}

/** Bytes that belong together, still in the buffers they came in. */
export type Piece = { buffers: Uint8Array[]; size: number };

/** Cuts `source` into pieces of exactly `pieceBytes`; the last may be smaller, never empty. Copies nothing. */
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
