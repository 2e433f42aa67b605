// Measures, hashes and stores an upload's bytes as they arrive, so that each byte is touched once.
import { createHash, type Hash } from 'node:crypto';
import { ApiError } from '@chauffeur/contract/errors';
import { giveBack } from '../../kernel/blobs/give-back.ts';
import type { BlobStore, BlobUpload, ByteSource } from '../../kernel/blobs/store.ts';

export type Receiver = {
  /** What has passed so far. */
  size: number;
  readonly hash: Hash | null;
  /**
   * The bytes of `source`, measured and hashed. Throws `options.tooLarge()` at the byte that is one too many. The buffers must
   * be nobody else's: their memory is given back as soon as they are stored.
   */
  pass(source: ByteSource): ByteSource;
};

export type ReceiverOptions = {
  most: number;
  tooLarge: () => Error;
  /** Goes on from here; null where the hash is not known, a new one where absent. */
  hash?: Hash | null;
  onBytes?: () => void;
};

export function createReceiver({ most, tooLarge, hash = createHash('sha256'), onBytes }: ReceiverOptions): Receiver {
  const receiver: Receiver = {
    size: 0,
    hash,
    pass: (source) => ({ [Symbol.asyncIterator]: () => measure(source), release: giveBack }),
  };

  async function* measure(source: ByteSource): AsyncGenerator<Uint8Array> {
    for await (const bytes of source) {
      receiver.size += bytes.length;
      if (receiver.size > most) throw tooLarge();
      hash?.update(bytes);
      onBytes?.();
      yield bytes;
    }
  }

  return receiver;
}

/** Appends what the receiver passes. Throws what the sender did wrong as it is, and 4048 for what the store could not do. */
export async function storeBytes(
  blobs: BlobStore,
  upload: BlobUpload,
  receiver: Receiver,
  source: ByteSource,
): Promise<BlobUpload> {
  try {
    return await blobs.append(upload, receiver.pass(source));
  } catch (cause) {
    throw cause instanceof ApiError ? cause : new ApiError(4048, undefined, { cause });
  }
}

/** SHA-256 of a source, as hex. */
export async function hashOf(source: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of source) hash.update(bytes);
  return hash.digest('hex');
}
