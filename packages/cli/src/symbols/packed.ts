// Reads files that contain one compressed file: .gz, .zst and .xz.
import { closeSync, createReadStream, fstatSync, openSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import { FileSource } from '@chauffeur/debug-symbols/byte-source';
import { unpackXz } from '@chauffeur/debug-symbols/xz/xz';
import type { Packing } from './recognise.ts';

/** What a file may unpack to however small it is. */
const FREE_BYTES = 256 * MIB;

export type Packed = {
  /** The first bytes, of which there are fewer only if the file has fewer. */
  readHead(length: number): Promise<Buffer>;
  /** The whole content. Can be read once. Throws for damage, and for a content that is made to fill a disk. */
  readonly bytes: AsyncIterable<Uint8Array>;
  [Symbol.asyncDispose](): Promise<void>;
};

export async function openPacked(path: string, packing: Packing): Promise<Packed> {
  const content = bounded(packing === 'xz' ? unpackXzFile(path) : inflate(path, packing), path);
  const pieces: Uint8Array[] = [];
  return {
    async readHead(length) {
      for (let size = 0; size < length; ) {
        const next = await content.next();
        if (next.done === true) break;
        pieces.push(next.value);
        size += next.value.length;
      }
      return Buffer.concat(pieces).subarray(0, length);
    },
    bytes: (async function* () {
      yield* pieces;
      yield* content;
    })(),
    async [Symbol.asyncDispose]() {
      await content.return(undefined);
    },
  };
}

async function* bounded(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  path: string,
): AsyncGenerator<Uint8Array, undefined> {
  const descriptor = openSync(path, 'r');
  const { size: packed } = fstatSync(descriptor);
  closeSync(descriptor);
  let size = 0;
  for await (const bytes of content) {
    size += bytes.length;
    if (size > FREE_BYTES && size > packed * LIMITS.zipRatio)
      throw new Error(`it unpacks to more than ${LIMITS.zipRatio} times its size`);
    yield bytes;
  }
}

async function* inflate(path: string, packing: 'gzip' | 'zstd'): AsyncGenerator<Uint8Array, undefined> {
  const unpacker = packing === 'gzip' ? createGunzip() : createZstdDecompress();
  // Its error reaches the other end, which is read below.
  const feeding = pipeline(createReadStream(path), unpacker).catch(() => undefined);
  try {
    for await (const bytes of unpacker) yield bytes;
  } finally {
    unpacker.destroy();
    await feeding;
  }
}

function* unpackXzFile(path: string): Generator<Uint8Array, undefined> {
  const descriptor = openSync(path, 'r');
  try {
    yield* unpackXz(new FileSource(descriptor, fstatSync(descriptor).size));
  } finally {
    closeSync(descriptor);
  }
}
