// Stores one symbol file as a gzipped blob while it arrives: looked at, measured and hashed on the way.
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { Context } from '../../context.ts';
import type { ByteSource } from '../../kernel/blobs/store.ts';
import { bytesOfOpen } from '../../kernel/byte-source.ts';
import type { Room } from '../usage/usage.ts';
import { newTextKey } from './blob-key.ts';
import { MODULE_LINE_BYTES, type ModuleFacts, readModuleFacts } from './module-facts.ts';
import { peek } from './peek.ts';
import { storeFailure } from './store-failure.ts';

/** A text whose blob is durable, and which no build has yet. */
export type StoredText = {
  readonly module: ModuleFacts;
  /** As the upload calls it, for messages. */
  readonly name: string;
  readonly checksum: string;
  /** Bytes of the text. */
  readonly size: number;
  /** Bytes of its blob. */
  readonly storedSize: number;
  readonly blobKey: string;
};

/** Symbols shrink to a fifth at the first level already; the sixth takes twice as long for a tenth less. */
const GZIP = { level: 1, chunkSize: 256 * 1024 };

/**
 * Throws 4049 when the text is no symbol file that is taken, 4043 when it is too large, 4292 when `room` is used up, 5020, and what the source
 * throws when that is an ApiError. Nothing is kept then. `name` may come from a zip, and is made printable here.
 */
export async function storeText(
  ctx: Context,
  gameId: string,
  { name, source, room }: { name: string; source: ByteSource; room: Room },
): Promise<StoredText> {
  const { head, all, discard } = await peek(source, MODULE_LINE_BYTES);
  const module = readModuleFacts(head);
  if ('refused' in module) {
    await discard();
    throw new ApiError(4049, `${showName(name)} ${module.refused}; make symbols with dump_syms.`);
  }
  const blobKey = newTextKey(gameId);
  const hash = createHash('sha256');
  let size = 0;
  async function* measured() {
    for await (const bytes of all) {
      size += bytes.length;
      if (size > LIMITS.symbolFileBytes) throw tooLarge(name);
      hash.update(bytes);
      yield bytes;
    }
  }
  let storedSize: number;
  try {
    storedSize = await storeGzipped(ctx, blobKey, measured(), room);
  } catch (error) {
    await dropBlobs(ctx, [blobKey]);
    throw storeFailure(error);
  }
  return { module, name, checksum: hash.digest('hex'), size, storedSize, blobKey };
}

async function storeGzipped(ctx: Context, key: string, text: AsyncIterable<Uint8Array>, room: Room): Promise<number> {
  const gzip = createGzip(GZIP);
  // What goes wrong with the text shows at the other end, which the store reads.
  const feeding = pipeline(text, gzip).catch(() => undefined);
  try {
    return await ctx.blobs.put(key, fill(room, bytesOfOpen(gzip)));
  } finally {
    gzip.destroy();
    await feeding;
  }
}

/** Takes what passes out of the room. */
async function* fill(room: Room, source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const bytes of source) {
    room.left -= bytes.length;
    if (room.left < 0) throw room.full();
    yield bytes;
  }
}

/** Removes blobs that no row has. What cannot be removed now, the sweeper finds. */
export async function dropBlobs(ctx: Context, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await ctx.blobs.delete(key).catch((err) => ctx.log.warn({ err, key }, 'a blob of symbols could not be removed'));
  }
}

export function tooLarge(name: string): ApiError {
  return new ApiError(
    4043,
    `${showName(name)} is larger than ${LIMITS.symbolFileBytes / MIB} MB, the most that one symbol file may have.`,
  );
}

const LONGEST_NAME = 80;

/** A file's name in a message: in quotation marks, on one line, its end where it is long. */
export function showName(name: string): string {
  const shown = name.length > LONGEST_NAME ? `…${name.slice(-LONGEST_NAME)}` : name;
  return `“${shown.replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, '?')}”`;
}
