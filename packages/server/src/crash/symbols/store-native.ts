// Stores a program or debug file that was uploaded as symbols, as it is, until a job converts it. The keys are
// `symbols/<game>/<id>.native`.
import { createHash } from 'node:crypto';
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { GIB, LIMITS } from '@chauffeur/contract/limits';
import { MemorySource } from '@chauffeur/debug-symbols/byte-source';
import { detectFormat } from '@chauffeur/debug-symbols/file-format';
import { isSafeName } from '@chauffeur/minidump/symbols/symbol-path';
import { mappingKindOf } from '@chauffeur/sentry/mappings/mapping-kind';
import type { Context } from '../../context.ts';
import { peek } from '../../kernel/blobs/peek.ts';
import type { ByteSource } from '../../kernel/blobs/store.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import type { FreeStorage } from '../../ship/usage/usage.ts';
import { type StoredMapping, storeMapping } from './mappings/store-mapping.ts';
import {
  countAgainst,
  dropSymbolBlobs,
  formatFileName,
  type StoredText,
  SYMBOLS_PREFIX,
  storeFailure,
  storeText,
  toShownName,
} from './store-text.ts';

/** A native file with a durable blob that is not recorded yet. */
export type StoredNative = {
  /** The name in the upload, for messages. */
  readonly name: string;
  /** The name of the file that the module of a program without a name of its own gets. */
  readonly fileName: string;
  readonly checksum: string;
  readonly size: number;
  readonly blobKey: string;
};

export type StoredFile =
  | { readonly text: StoredText }
  | { readonly native: StoredNative }
  | { readonly mapping: StoredMapping };

type Upload = { readonly name: string; readonly source: ByteSource; readonly storage: FreeStorage };

/** Enough for the headers by which native files are recognized. */
const HEAD_BYTES = 4096;

/** Stores a symbol file, a native file, a script or a mapping, whose address is its path in the upload. Throws the errors of `storeText`, after which nothing is kept. */
export async function storeFile(ctx: Context, gameId: string, { name, source, storage }: Upload): Promise<StoredFile> {
  const { head, all } = await peek(source, HEAD_BYTES);
  const upload = { name, source: all, storage };
  const format = detectFormat(new MemorySource(head));
  const kind = format === undefined ? mappingKindOf(name, head) : null;
  if (kind !== null)
    return { mapping: await storeMapping(ctx, gameId, { kind, fileName: name, url: name, source: all, storage }) };
  if (format === undefined) return { text: await storeText(ctx, gameId, upload) };
  return { native: await storeNative(ctx, gameId, upload) };
}

async function storeNative(ctx: Context, gameId: string, { name, source, storage }: Upload): Promise<StoredNative> {
  const blobKey = `${SYMBOLS_PREFIX}${gameId}/${newId()}.native`;
  const hash = createHash('sha256');
  let size = 0;
  async function* measured() {
    for await (const bytes of source) {
      size += bytes.length;
      if (size > LIMITS.nativeFileBytes) throw nativeTooLarge(name);
      hash.update(bytes);
      yield bytes;
    }
  }
  try {
    await ctx.blobs.put(blobKey, countAgainst(storage, measured()));
  } catch (error) {
    await dropSymbolBlobs(ctx, [blobKey]);
    throw storeFailure(error);
  }
  return { name, fileName: baseNameOf(name), checksum: hash.digest('hex'), size, blobKey };
}

function nativeTooLarge(name: string): ApiError {
  return errors.tooLarge(
    `${formatFileName(name)} is larger than ${LIMITS.nativeFileBytes / GIB} GB, the limit for a program or debug file. Convert it with \`chauffeur symbols\`, which sends only its symbols.`,
  );
}

/** The last part of a path of any system. */
function baseNameOf(name: string): string {
  const base = toShownName(name.replace(/^.*[/\\]/s, ''));
  return isSafeName(base) ? base : 'program';
}
