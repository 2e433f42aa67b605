// Reads a bundle of scripts and source maps, as `sentry-cli sourcemaps upload` makes it: a zip after a header of eight
// bytes, whose manifest.json says what each file is.
import type { FileHandle } from 'node:fs/promises';
import { errors } from '@chauffeur/contract/errors';
import { MIB } from '@chauffeur/contract/limits';
import type { MappingKind } from '@chauffeur/sentry/mappings/mapping-kind';
import type { Context } from '../../../context.ts';
import { UnreadableBodyError } from '../../../request/body.ts';
import { isObject, parseJson } from '../../../request/json.ts';
import type { FreeStorage } from '../../../ship/usage/usage.ts';
import { type StoredMapping, storeMapping } from '../../symbols/mappings/store-mapping.ts';
import { dropSymbolBlobs } from '../../symbols/store-text.ts';
import { MAX_ENTRIES, unpack } from '../../symbols/unpack.ts';

const MANIFEST = 'manifest.json';
const MAX_MANIFEST_BYTES = 4 * MIB;
const MAX_VALUES = 100_000;

const KINDS: Readonly<Record<string, MappingKind>> = { minified_source: 'script', source_map: 'source_map' };

type BundledFile = {
  readonly kind: MappingKind;
  readonly url: string;
  readonly debugId: string;
  /** The address of its source map, also if the script doesn't say it. */
  readonly sourceMapUrl: string;
};

type Of = { readonly release: string; readonly dist: string; readonly storage: FreeStorage };

/**
 * Stores all scripts and source maps of the bundle or none. Throws `notSymbols` for any other file, and for a bundle
 * without them, and the errors of `unpack` and `storeMapping`.
 */
export async function storeBundle(
  ctx: Context,
  gameId: string,
  { file, size }: { readonly file: FileHandle; readonly size: number },
  { release, dist, storage }: Of,
): Promise<StoredMapping[]> {
  const files = await readManifest(file, size);
  const stored: StoredMapping[] = [];
  try {
    for await (const { name, bytes } of unpack(file, size, MAX_ENTRIES)) {
      const known = files.get(name);
      if (known === undefined) continue;
      const { kind, url, debugId, sourceMapUrl } = known;
      const of = { kind, url, sourceMapUrl, release, dist, ...(debugId !== '' && { debugId }) };
      stored.push(await storeMapping(ctx, gameId, { ...of, fileName: name, source: bytes, storage }));
    }
    if (stored.length === 0) throw errors.notSymbols('The bundle has no scripts or source maps.');
    return stored;
  } catch (error) {
    await dropSymbolBlobs(
      ctx,
      stored.map(({ blobKey }) => blobKey),
    );
    throw error;
  }
}

/** The files of the bundle that are used, by their names in the zip. */
async function readManifest(file: FileHandle, size: number): Promise<ReadonlyMap<string, BundledFile>> {
  for await (const { name, bytes } of unpack(file, size, MAX_ENTRIES)) {
    if (name !== MANIFEST) continue;
    const parts: Uint8Array[] = [];
    let total = 0;
    for await (const part of bytes) {
      total += part.length;
      if (total > MAX_MANIFEST_BYTES) throw errors.notSymbols('The manifest of the bundle is larger than 4 MB.');
      parts.push(part);
    }
    return filesOf(parse(Buffer.concat(parts, total)));
  }
  throw errors.notSymbols('The bundle has no manifest.json.');
}

function parse(bytes: Buffer): unknown {
  try {
    return parseJson(bytes, MAX_VALUES);
  } catch (cause) {
    if (!(cause instanceof UnreadableBodyError)) throw cause;
    throw errors.notSymbols('The manifest of the bundle is not JSON, or has too many files.', { cause });
  }
}

function filesOf(manifest: unknown): ReadonlyMap<string, BundledFile> {
  const files = isObject(manifest) && isObject(manifest.files) ? Object.entries(manifest.files) : [];
  const found = new Map<string, BundledFile>();
  for (const [name, file] of files) {
    if (!isObject(file)) continue;
    const kind = typeof file.type === 'string' && Object.hasOwn(KINDS, file.type) ? KINDS[file.type] : undefined;
    if (kind === undefined) continue;
    const headers = new Map(
      isObject(file.headers)
        ? Object.entries(file.headers).map(([header, value]) => [header.toLowerCase(), value])
        : [],
    );
    const sourceMapUrl = textOf(headers.get('sourcemap')) || textOf(headers.get('x-sourcemap'));
    found.set(name, { kind, url: textOf(file.url), debugId: textOf(headers.get('debug-id')), sourceMapUrl });
  }
  return found;
}

const MAX_TEXT = 2000;

function textOf(value: unknown): string {
  return typeof value === 'string' && value.length <= MAX_TEXT ? value : '';
}
