// What the service needs of a place that keeps blobs: files on disk and S3 both fit behind it.
import type { Readable } from 'node:stream';

/**
 * Where bytes come from: buffers in order. Throwing ends the write; what it had given does not count. Never a Node stream, whose error ends
 * the process when it comes while nobody reads, as before a write begins: `bytesOf` makes a source of one.
 */
export type ByteSource = AsyncIterable<Uint8Array> & {
  pipe?: never;
  /** A store that is done with a buffer may say so, and its memory can be used again before it is collected. */
  release?(bytes: Uint8Array): void;
};

/**
 * A blob that is being written. Plain JSON, so that it can rest in a row between two requests and be taken up by another
 * process. `size` is the number of bytes that are durable; the rest is the store's own.
 */
export type BlobUpload = { readonly key: string; readonly size: number; readonly parts?: unknown };

/** Bytes `start` to `end`, both included, as in HTTP. */
export type ByteRange = { start: number; end: number };

export type BlobInfo = { key: string; modifiedAt: Date };

export type BlobStore = {
  /**
   * Writes a whole blob: on return its bytes are durable and can be read under the key. Resolves to its size. When `source` throws, the
   * error passes through, nothing can be read, and `delete` removes what was written.
   */
  put(key: string, source: ByteSource): Promise<number>;
  /** Starts a blob that comes in pieces under `key`. Nothing can be read under the key until `complete`. */
  begin(key: string): Promise<BlobUpload>;
  /**
   * Writes `source` behind the `upload.size` bytes that are already there. On return the bytes are durable and the returned
   * state takes the place of `upload`. When `source` throws, the error passes through and `upload` stays valid as it was.
   */
  append(upload: BlobUpload, source: ByteSource): Promise<BlobUpload>;
  /** Makes exactly `upload.size` bytes readable under the key, at once and durably. Safe to repeat. */
  complete(upload: BlobUpload): Promise<void>;
  /** Size in bytes of a complete blob; null when there is none. */
  stat(key: string): Promise<{ size: number } | null>;
  /** Opens a complete blob. Rejects with BlobMissingError when there is none. */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** An address that serves the blob for `seconds` without credentials; null where the store cannot (the server streams then). */
  sign(key: string, options: { seconds: number; filename: string; contentType: string }): Promise<string | null>;
  /** Removes the blob and whatever was begun under the key. Safe to repeat. */
  delete(key: string): Promise<void>;
  /** Every key below `prefix`, complete or only begun, each once: for the sweeper. */
  list(prefix: string): AsyncIterable<BlobInfo>;
  /** Whether the store answers; rejects with the reason when not. */
  check(): Promise<void>;
  close(): Promise<void>;
};

/** A blob that should be there is not. */
export class BlobMissingError extends Error {
  override readonly name = 'BlobMissingError';
}

/**
 * Has an error of the stream wait for whoever reads it. Without a listener, one that comes before the reader does, such as a connection to S3 that
 * is reset, would end the process.
 */
export function keepErrors(stream: Readable): Readable {
  return stream.on('error', () => undefined);
}
