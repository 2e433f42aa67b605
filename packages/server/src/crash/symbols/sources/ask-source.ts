// Asks one symbol server for the symbols of a module, and stores the text that it responds with. Only a text about this
// very module is accepted.
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ApiError, CODES } from '@chauffeur/contract/errors';
import { GIB } from '@chauffeur/contract/limits';
import { identifyModule } from '@chauffeur/minidump/symbols/module-identity';
import type { Context } from '../../../context.ts';
import { UnpackError, unpackFile } from '../../../kernel/blobs/unpack-file.ts';
import { INTERNET } from '../../../kernel/network/public-request.ts';
import { PRIVATE_FILE, withWorkFolder } from '../../../kernel/private-files.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import type { FreeStorage } from '../../../ship/usage/usage.ts';
import { nameOfSource, type SymbolSource } from '../../../symbol-sources.ts';
import { dropSymbolBlobs, type StoredText, storeText } from '../store-text.ts';
import { type ConvertNative, convertNative, NativeFileError } from './convert-native.ts';
import { type Download, download, SourceError } from './download.ts';
import { breakpadPaths, cabinetPathOf, type LookupModule, nativePaths, type SourcePath } from './layouts.ts';
import { SYSTEM } from './store-system.ts';
import type { NewSystemSymbols } from './system-symbols.sql.ts';

/** `problem` is a sentence if the source responded with something else than the symbols. */
export type Answer = { readonly symbols: NewSystemSymbols } | { readonly problem: string | null };

type Options = {
  readonly signal: AbortSignal;
  readonly storage: FreeStorage;
  /** What converts native files. */
  readonly convert?: ConvertNative;
};

/** Throws SourceError if the source could not say whether it has them, and errors of storing them. */
export function askSource(ctx: Context, source: SymbolSource, module: LookupModule, options: Options): Promise<Answer> {
  return source.kind === 'breakpad'
    ? askForText(ctx, source, module, options)
    : askForNative(ctx, { ...source, kind: source.kind }, module, options);
}

async function askForText(ctx: Context, source: SymbolSource, module: LookupModule, options: Options): Promise<Answer> {
  for (const path of breakpadPaths(module)) {
    const file = await open(ctx, source, path, options);
    if (file === null) continue;
    try {
      return await keepText(ctx, source, module, { bytes: unpacked(file.bytes), storage: options.storage });
    } finally {
      file.close();
    }
  }
  return { problem: null };
}

/** A file may be compressed, and its server may have compressed it again for the connection. */
function unpacked(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return unpackFile(unpackFile(bytes));
}

function open(
  { config }: Context,
  source: SymbolSource,
  path: SourcePath,
  { signal }: Options,
): Promise<Download | null> {
  return download(source, path, { internet: { ...INTERNET, allowsPrivate: config.symbolPrivateHosts }, signal });
}

type NativeSource = SymbolSource & { readonly kind: Exclude<SymbolSource['kind'], 'breakpad'> };

async function askForNative(
  ctx: Context,
  source: NativeSource,
  module: LookupModule,
  options: Options,
): Promise<Answer> {
  const paths = nativePaths(source.kind, module);
  if (paths === null) return { problem: null };
  const { convert = convertNative, signal, storage } = options;
  return withWorkFolder(ctx.config.dataFolder, async (folder) => {
    const fetchTo = async (name: string, path: SourcePath | null) => {
      const to = join(folder, name);
      const variants = path === null ? [] : source.kind === 'microsoft' ? [path, cabinetPathOf(path)] : [path];
      for (const variant of variants) if (await fetchFile(ctx, source, variant, { ...options, to })) return to;
      return null;
    };
    let supplements = 0;
    const supplement = async (buildId: string) => {
      if (source.kind !== 'debuginfod' || supplements === MAX_SUPPLEMENTS || !BUILD_ID.test(buildId)) return null;
      supplements++;
      return fetchTo(`supplement-${supplements}`, ['buildid', buildId, 'debuginfo']);
    };
    try {
      const [debug, code] = [await fetchTo('debug', paths.debug), await fetchTo('code', paths.code)];
      if (debug === null && code === null) return { problem: null };
      const bytes = await convert({ debug, code, folder, supplement }, { module, signal });
      return await keepText(ctx, source, module, { bytes, storage });
    } catch (error) {
      if (error instanceof UnpackError) return refuse(source, `its file can't be unpacked: ${error.message}`);
      if (!(error instanceof NativeFileError)) throw error;
      return refuse(source, error.message);
    }
  });
}

const BUILD_ID = /^[0-9a-f]{16,128}$/;
/** An ELF file refers to one file of `dwz`. */
const MAX_SUPPLEMENTS = 4;

/** The debug file of a large program, such as a browser's. */
const MAX_NATIVE_BYTES = 4 * GIB;

/** False if the source doesn't have the file. */
async function fetchFile(
  ctx: Context,
  source: SymbolSource,
  path: SourcePath,
  { to, ...options }: Options & { readonly to: string },
): Promise<boolean> {
  const file = await open(ctx, source, path, options);
  if (file === null) return false;
  try {
    await pipeline(bounded(unpacked(file.bytes)), createWriteStream(to, { flags: 'wx', mode: PRIVATE_FILE }));
    return true;
  } finally {
    file.close();
  }
}

async function* bounded(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const bytes of source) {
    size += bytes.length;
    if (size > MAX_NATIVE_BYTES) throw new NativeFileError(`its file is larger than ${MAX_NATIVE_BYTES / GIB} GB`);
    yield bytes;
  }
}

/** Stores the text unless it is something else, or about another module. */
async function keepText(
  ctx: Context,
  source: SymbolSource,
  module: LookupModule,
  { bytes, storage }: { bytes: AsyncIterable<Uint8Array>; storage: FreeStorage },
): Promise<Answer> {
  let failure: unknown;
  // What stores the text would hide why it can't be read.
  async function* watched() {
    try {
      yield* bytes;
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  let text: StoredText;
  try {
    text = await storeText(ctx, SYSTEM, { name: module.debugFile, source: watched(), storage });
  } catch (error) {
    if (failure instanceof SourceError) throw failure;
    if (failure instanceof UnpackError) return refuse(source, `its file can't be unpacked: ${failure.message}`);
    if (failure instanceof NativeFileError) return refuse(source, failure.message);
    const isRefused = error instanceof ApiError && REFUSALS.includes(error.code);
    if (!isRefused) throw failure ?? error;
    return refuse(source, error.message);
  }
  if (!isOfModule(text, module)) {
    await dropSymbolBlobs(ctx, [text.blobKey]);
    return refuse(source, `it responds with the symbols of another module, ${text.module.debugId}`);
  }
  const { debugFile, debugId, codeId } = text.module;
  const { checksum, size, storedSize, blobKey, functions, detail, records } = text;
  const facts = { checksum, size, storedSize, blobKey, functions, detail, records };
  return { symbols: { symbolId: newId(), source: nameOfSource(source), debugFile, debugId, codeId, ...facts } };
}

/** What storing says about the text itself. */
const REFUSALS: readonly number[] = [CODES.notSymbols, CODES.tooLarge];

/** Their ids are the same; the code ids only if the module has no debug id. */
function isOfModule({ module: found }: StoredText, module: LookupModule): boolean {
  const { debugId, codeId } = identifyModule(module);
  return debugId === '' ? found.codeId === codeId : found.debugId === debugId;
}

function refuse({ url }: SymbolSource, problem: string): Answer {
  return { problem: `${new URL(url).host}: ${problem}` };
}
