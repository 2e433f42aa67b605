// Measures, hashes and stores the bytes of an upload in one pass while they arrive.
import { createHash, type Hash } from 'node:crypto';
import { ApiError, errors } from '@chauffeur/contract/errors';
import { freeBuffer } from '../kernel/blobs/byte-source.ts';
import type { BlobStore, BlobUpload, ByteSource } from '../kernel/blobs/store.ts';

export type Receiver = {
  /** Bytes passed so far. */
  size: number;
  readonly hash: Hash | null;
  /**
   * Passes on the bytes of `source`, measured and hashed. Throws `options.tooLarge()` at the first byte over the limit.
   * The buffers must not be shared, because their memory is released as soon as they are stored.
   */
  pass(source: ByteSource): ByteSource;
};

export type ReceiverOptions = {
  maxBytes: number;
  tooLarge: () => Error;
  /** A hash to continue; null to skip hashing; a new hash by default. */
  hash?: Hash | null;
  onBytes?: () => void;
};

export function createReceiver({
  maxBytes,
  tooLarge,
  hash = createHash('sha256'),
  onBytes,
}: ReceiverOptions): Receiver {
  const receiver: Receiver = {
    size: 0,
    hash,
    pass: (source) => ({ [Symbol.asyncIterator]: () => measure(source), release: freeBuffer }),
  };

  async function* measure(source: ByteSource): AsyncGenerator<Uint8Array> {
    for await (const bytes of source) {
      receiver.size += bytes.length;
      if (receiver.size > maxBytes) throw tooLarge();
      hash?.update(bytes);
      onBytes?.();
      yield bytes;
    }
  }

  return receiver;
}

/**
 * Appends the bytes that the receiver passes. Rethrows API errors, and throws `fileNotSaved` for failures of the store.
 */
export async function storeBytes(
  blobs: BlobStore,
  upload: BlobUpload,
  receiver: Receiver,
  source: ByteSource,
): Promise<BlobUpload> {
  try {
    return await blobs.append(upload, receiver.pass(source));
  } catch (cause) {
    throw cause instanceof ApiError ? cause : errors.fileNotSaved(undefined, { cause });
  }
}

/** The SHA-256 of a source as hex. */
export async function hashOf(source: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of source) hash.update(bytes);
  return hash.digest('hex');
}
