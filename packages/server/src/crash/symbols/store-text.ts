// Stores one symbol file as a gzipped blob while it arrives, and checks, measures and hashes it in the same pass. The
// keys are `symbols/<game>/<id>.sym.gz` for texts, and `symbols/<game>/<id>.cache` for compiled caches.
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ApiError, errors } from '@chauffeur/contract/errors';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import { ContentsCounter, countRecords, detailOf } from '@chauffeur/minidump/symbols/symbol-contents';
import type { Context } from '../../context.ts';
import { bytesOfOpen } from '../../kernel/blobs/byte-source.ts';
import { peek } from '../../kernel/blobs/peek.ts';
import type { ByteSource } from '../../kernel/blobs/store.ts';
import { isDatabaseAway } from '../../kernel/database/db.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import type { FreeStorage } from '../../ship/usage/usage.ts';
import { MODULE_LINE_BYTES, type ModuleFacts, readModuleFacts } from './module-facts.ts';
import type { TextFacts } from './symbol-rows.ts';

/** A text with a durable blob that is not recorded yet. */
export type StoredText = {
  readonly module: ModuleFacts;
  /** The name in the upload, for messages. */
  readonly name: string;
  readonly checksum: string;
  /** Size of the text in bytes. */
  readonly size: number;
  /** Size of the blob in bytes. */
  readonly storedSize: number;
  readonly blobKey: string;
} & TextFacts;

/** Level 1 compresses symbols to a fifth; level 6 takes twice as long and saves only another tenth. */
const GZIP = { level: 1, chunkSize: 256 * 1024 };

/**
 * Throws `notSymbols` if the text is not a supported symbol file, `tooLarge` if it is too large, `storageLimitReached`
 * if `storage` is used up, `symbolsNotStored`, and API errors of the source, after which nothing is kept. `name` may
 * come from a zip; messages show it in printable form.
 */
export async function storeText(
  ctx: Context,
  gameId: string,
  { name, source, storage }: { name: string; source: ByteSource; storage: FreeStorage },
): Promise<StoredText> {
  const { head, all, discard } = await peek(source, MODULE_LINE_BYTES);
  const module = readModuleFacts(head);
  if ('refused' in module) {
    await discard();
    throw errors.notSymbols(
      `${formatFileName(name)} is not a supported symbol file: ${module.refused}. ${module.remedy}`,
    );
  }
  const blobKey = newTextKey(gameId);
  const hash = createHash('sha256');
  let size = 0;
  const counted = countContents(all);
  async function* measured() {
    for await (const bytes of counted.bytes) {
      size += bytes.length;
      if (size > LIMITS.symbolFileBytes) throw textTooLarge(name);
      hash.update(bytes);
      yield bytes;
    }
  }
  let storedSize: number;
  try {
    storedSize = await storeGzipped(ctx, blobKey, measured(), storage);
  } catch (error) {
    await dropSymbolBlobs(ctx, [blobKey]);
    throw storeFailure(error);
  }
  return { module, name, checksum: hash.digest('hex'), size, storedSize, blobKey, ...counted.facts() };
}

/** Counts what a text contains while its `bytes` are read; `facts` are known after that. */
export function countContents(source: AsyncIterable<Uint8Array>) {
  const counter = new ContentsCounter();
  async function* count() {
    for await (const bytes of source) {
      counter.write(bytes);
      yield bytes;
    }
  }
  return {
    bytes: count(),
    facts(): TextFacts {
      const contents = counter.finish();
      const { functions, unwind } = contents;
      return { functions, detail: detailOf(contents), records: countRecords(contents), unwind };
    },
  };
}

export async function storeGzipped(
  ctx: Context,
  key: string,
  text: AsyncIterable<Uint8Array>,
  storage: FreeStorage,
): Promise<number> {
  const gzip = createGzip(GZIP);
  // Errors of the text reach the store, which reads the output.
  const feeding = pipeline(text, gzip).catch(() => undefined);
  try {
    return await ctx.blobs.put(key, countAgainst(storage, bytesOfOpen(gzip)));
  } finally {
    gzip.destroy();
    await feeding;
  }
}

/** Passes the bytes on. Throws `storageLimitReached` when there are more than the free storage. */
export async function* countAgainst(
  storage: FreeStorage,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of source) {
    storage.bytes -= bytes.length;
    if (storage.bytes < 0) throw storage.exceeded();
    yield bytes;
  }
}

/** Deletes blobs without a row. If this fails, the sweep deletes them later. */
export async function dropSymbolBlobs(ctx: Context, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await ctx.blobs.delete(key).catch((err) => ctx.log.warn({ err, key }, 'a symbol blob could not be deleted'));
  }
}

export function textTooLarge(name: string): ApiError {
  return errors.tooLarge(
    `${formatFileName(name)} is larger than ${LIMITS.symbolFileBytes / MIB} MB, the limit for a symbol file. Leave it out.`,
  );
}

const MAX_NAME_LENGTH = 80;

/** Formats a file name for a message: in quotation marks, as shown. */
export function formatFileName(name: string): string {
  return `“${toShownName(name)}”`;
}

/** A file name in printable form, and only the end of a long name. */
export function toShownName(name: string): string {
  const shown = name.length > MAX_NAME_LENGTH ? `…${name.slice(-MAX_NAME_LENGTH)}` : name;
  return shown.replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, '?');
}

export const SYMBOLS_PREFIX = 'symbols/';

/** Keys are never reused, so a blob that is being read is never overwritten. */
function newTextKey(gameId: string): string {
  return `${SYMBOLS_PREFIX}${gameId}/${newId()}.sym.gz`;
}

export function newCacheKey(gameId: string): string {
  return `${SYMBOLS_PREFIX}${gameId}/${newId()}.cache`;
}

/**
 * Maps an error of the store or the disk: to `symbolsNotStored`, unless it is an ApiError. The HTTP layer turns a full
 * disk into `storageFull`.
 */
export function storeFailure(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  return errors.symbolsNotStored(undefined, { cause });
}

/**
 * Maps an error of the database: to `symbolsNotStored`, unless it is unavailable, which the HTTP layer turns into
 * `unavailable`.
 */
export function asStoreFailure(cause: unknown): unknown {
  return cause instanceof ApiError || isDatabaseAway(cause) ? cause : errors.symbolsNotStored(undefined, { cause });
}
