// The interface of blob stores, which files on disk and S3 both implement.
import type { Readable } from 'node:stream';
import type { FileInSpace } from './spaces.ts';

/**
 * Buffers in order. If a source throws, the write fails and none of its bytes count. Never a Node stream: an error that
 * it emits while no one is reading, such as before a write begins, would end the process. `bytesOf` turns a stream into
 * a source.
 */
export type ByteSource = AsyncIterable<Uint8Array> & {
  pipe?: never;
  /** Called by a store that has finished with a buffer, whose memory can then be reused before it is collected. */
  release?(bytes: Uint8Array): void;
};

/**
 * A blob that is being written. JSON, so that it can be stored in a row between two requests and continued by another
 * process. `size` is the number of durable bytes; the rest belongs to the store.
 */
export type BlobUpload = { readonly key: string; readonly size: number; readonly parts?: unknown };

/** Bytes `start` to `end`, both inclusive, as in HTTP. */
export type ByteRange = { start: number; end: number };

export type BlobInfo = { key: string; modifiedAt: Date };

export type BlobStore = {
  /** How a worker thread opens the same store, with `openBlobStore`. */
  readonly settings: BlobSettings;
  /** The kind of store and its location, as operators see them. */
  describe(): { kind: BlobSettings['kind']; location: string };
  /**
   * Writes a whole blob. When it returns, the bytes are durable and can be read. Resolves to their number. If `source`
   * throws, the error passes through, nothing can be read, and `delete` removes what was written.
   */
  put(key: string, source: ByteSource): Promise<number>;
  /**
   * Compresses a file and writes it, like `put`; `key` ends in `.zst`. Throws PackedTooLargeError if more than
   * `maxStored` bytes would be stored.
   */
  putPacked(key: string, file: FileInSpace, maxStored: number): Promise<number>;
  /** Writes a whole blob from memory, like `put`. May block, so it is for worker threads. */
  putWhole(key: string, bytes: Uint8Array): Promise<void>;
  /** Begins a blob that is written in several appends. It cannot be read until `complete`. */
  begin(key: string): Promise<BlobUpload>;
  /**
   * Writes `source` after the `upload.size` bytes that are already there. When it returns, the bytes are durable and
   * the returned state replaces `upload`. If `source` throws, the error passes through and `upload` stays valid. Rejects
   * with BlobMissingError if the bytes that are already there are lost, or are in another store.
   */
  append(upload: BlobUpload, source: ByteSource): Promise<BlobUpload>;
  /** Makes exactly `upload.size` bytes readable, atomically and durably. Safe to repeat. */
  complete(upload: BlobUpload): Promise<void>;
  /** Returns the size of a complete blob in bytes; null if there is none. */
  stat(key: string): Promise<{ size: number } | null>;
  /** Opens a complete blob. Rejects with BlobMissingError if there is none. */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /**
   * Reads a complete blob to the start of the buffer that `spaceFor` returns for a number of bytes, and resolves to its
   * size. It is called again, with a larger number, if the size is not known in advance. May block, so it is for worker
   * threads. Rejects with BlobMissingError if there is no such blob.
   */
  readWhole(key: string, spaceFor: (bytes: number) => Buffer): Promise<number>;
  /**
   * Returns the path of a complete blob, if it is a file on this machine; otherwise null. Rejects with
   * BlobMissingError.
   */
  localPath(key: string): Promise<string | null>;
  /**
   * Returns a URL that serves the blob for `seconds` without credentials; null if the store cannot, and the server has
   * to send the bytes.
   */
  sign(key: string, options: { seconds: number; filename: string; contentType: string }): Promise<string | null>;
  /** Removes the blob, complete or not. Safe to repeat. */
  delete(key: string): Promise<void>;
  /** Yields every key below `prefix` once, of complete blobs and of blobs being written. */
  list(prefix: string): AsyncIterable<BlobInfo>;
  /** Rejects with the reason if the store cannot be used. */
  check(): Promise<void>;
  close(): Promise<void>;
};

/** The compressed blob exceeds the caller's limit. */
export class PackedTooLargeError extends Error {
  override readonly name = 'PackedTooLargeError';

  constructor(maxStored: number) {
    super(`more than ${maxStored} bytes to store`);
  }
}

/** A blob does not exist. */
export class BlobMissingError extends Error {
  override readonly name = 'BlobMissingError';
}

/**
 * Keeps an error of the stream for its reader. Without a listener, an error before reading begins, such as a reset
 * connection to S3, would end the process.
 */
export function keepErrors(stream: Readable): Readable {
  return stream.on('error', () => undefined);
}

/** Suffixes that the stores use for blobs being written; no key may end like this. */
export const PART_SUFFIX = '.part';
export const TAIL_SUFFIX = '.tail';

/**
 * Segments of lowercase letters, digits, `.`, `_`, `=` and `-`, separated by slashes. None begins with a dot, so `..` cannot
 * occur.
 */
const KEY = /^[a-z0-9_-][a-z0-9._=-]*(\/[a-z0-9_-][a-z0-9._=-]*)*$/;

/** The longest key. S3 accepts 1,024 bytes including the prefix of the bucket and a suffix. */
const MAX_LENGTH = 512;

/** Whether `text` is a key, such as `files/<uuid>/<uuid>.zip`. */
export function isKey(text: string): boolean {
  return KEY.test(text) && text.length <= MAX_LENGTH && !text.endsWith(PART_SUFFIX) && !text.endsWith(TAIL_SUFFIX);
}

/** Throws if `key` is not a valid key, which is a bug of ours and never the caller's fault. */
export function assertKey(key: string): void {
  if (!isKey(key)) throw new Error(`Bad blob key: ${JSON.stringify(key)}`);
}

/**
 * `prefix` precedes every name in the bucket; it is empty or ends with a slash. The AWS SDK finds credentials itself.
 */
export type S3Settings = { bucket: string; region: string; endpoint?: string; prefix?: string };

export type FileSettings = { folder: string };

export type BlobSettings = ({ kind: 'files' } & FileSettings) | ({ kind: 's3' } & S3Settings);
