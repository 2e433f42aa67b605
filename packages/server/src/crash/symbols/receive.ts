// Receives the form of a symbol upload, a .sym file, a program or a debug file, a script or
// a mapping, also compressed, or a zip of them, and
// stores the files as blobs that are not recorded yet. The form is our own or that of Breakpad's sym_upload. A zip is first written to an
// unlinked file, which disappears when it is closed or the process dies.

import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiError, CODES, errors } from '@chauffeur/contract/errors';
import { ChecksumInput, canonicalChecksum } from '@chauffeur/contract/identity';
import { GIB, LIMITS, MIB } from '@chauffeur/contract/limits';
import { findProblem } from '@chauffeur/contract/validate';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Context, GameCaller } from '../../context.ts';
import { peek } from '../../kernel/blobs/peek.ts';
import type { ByteSource } from '../../kernel/blobs/store.ts';
import { packingOf, UnpackError, unpackFile } from '../../kernel/blobs/unpack-file.ts';
import { openSpool, PRIVATE_FILE } from '../../kernel/private-files.ts';
import { isUuid, newId } from '../../kernel/secrets/ids.ts';
import { type Fields, readForm } from '../../request/form.ts';
import type { FilePart } from '../../request/multipart.ts';
import { type Build, requireBuild } from '../../ship/builds/builds.ts';
import type { FreeStorage } from '../../ship/usage/usage.ts';
import type { StoredMapping } from './mappings/store-mapping.ts';
import { type StoredFile, type StoredNative, storeFile } from './store-native.ts';
import { dropSymbolBlobs, formatFileName, type StoredText, storeFailure } from './store-text.ts';
import { unpack, unpacksTooLarge } from './unpack.ts';

/** The largest form: the file plus text fields and part headers. */
export const MAX_FORM_BYTES = LIMITS.symbolUploadBytes + 8 * MIB;

/** Our form has the file in `file`, that of Breakpad's sym_upload in `symbol_file`. */
type SymbolForm = 'own' | 'breakpad';
type ReceivedSymbols = {
  readonly build: Build;
  readonly texts: readonly StoredText[];
  readonly natives: readonly StoredNative[];
  readonly mappings: readonly StoredMapping[];
  readonly form: SymbolForm;
};

const Form = Type.Object({ checksum: ChecksumInput });
/** Keyed by the name of the file part. */
const FORMS: Readonly<Record<string, SymbolForm>> = { file: 'own', symbol_file: 'breakpad' };
/** The first bytes of a zip with entries and of an empty zip. */
const ZIP_STARTS = [Buffer.from('PK\x03\x04', 'latin1'), Buffer.from('PK\x05\x06', 'latin1')];
const START_BYTES = 4;

/**
 * Throws the codes of the operation, after which nothing is kept. `buildId` is the build in the URL, for clients that
 * cannot name it in the form. The other fields of sym_upload repeat the MODULE line, which is read from the file.
 */
export async function receiveSymbols(
  ctx: Context,
  { gameId }: GameCaller,
  request: FastifyRequest,
  { buildId: buildIdInUrl, storage }: { buildId: string | undefined; storage: FreeStorage },
): Promise<ReceivedSymbols> {
  let form: SymbolForm = 'own';
  let single: StoredFile | undefined;
  let zip: Spooled | undefined;
  // The hash of the file as it was sent, which may be compressed.
  const hash = createHash('sha256');
  let checksum = '';

  async function onFile({ name, filename, bytes }: FilePart, fieldsSoFar: Fields): Promise<void> {
    form = FORMS[name] ?? form;
    const buildId = fieldsSoFar.build_id ?? buildIdInUrl;
    if (buildId !== undefined) await requireNamedBuild(ctx, gameId, buildId);
    const { head, all } = await peek(bytes, START_BYTES);
    const isZip = ZIP_STARTS.some((start) => head.subarray(0, START_BYTES).equals(start));
    if (isZip) {
      zip = await spoolZip(ctx, all);
      return;
    }
    const fileName = filename || 'the file';
    const source = packingOf(head) === null ? all : unpackText(fileName, hashed(all, hash));
    single = await storeFile(ctx, gameId, { name: fileName, source, storage });
    checksum = source === all ? contentOf(single).checksum : hash.digest('hex');
  }

  try {
    const fileNames = Object.keys(FORMS);
    const fields = await readForm(ctx, request, {
      onFile,
      maxBytes: MAX_FORM_BYTES,
      fileNames,
      invalid: CODES.unreadableForm,
    });
    const build = await requireNamedBuild(ctx, gameId, fields.build_id ?? buildIdInUrl);
    requireChecksum(form, fields, zip?.checksum ?? checksum);
    const files = zip === undefined ? [single!] : await storeZip(ctx, gameId, zip, storage);
    const texts = files.flatMap((file) => ('text' in file ? [file.text] : []));
    const natives = files.flatMap((file) => ('native' in file ? [file.native] : []));
    // A single file may come before the build in the form.
    const mappings = files.flatMap((file) => ('mapping' in file ? [{ ...file.mapping, buildId: build.build_id }] : []));
    return { build, texts, natives, mappings, form };
  } catch (error) {
    if (single !== undefined) await dropSymbolBlobs(ctx, [contentOf(single).blobKey]);
    throw error;
  } finally {
    await zip?.file.close();
  }
}

function contentOf(file: StoredFile): { readonly checksum: string; readonly blobKey: string } {
  if ('text' in file) return file.text;
  return 'native' in file ? file.native : file.mapping;
}

async function* hashed(source: ByteSource, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const bytes of source) {
    hash.update(bytes);
    yield bytes;
  }
}

/** Throws `notSymbols` if the file is damaged. */
async function* unpackText(name: string, source: ByteSource): AsyncGenerator<Uint8Array> {
  try {
    yield* unpackFile(source);
  } catch (error) {
    if (!(error instanceof UnpackError)) throw error;
    const { packing, message: problem } = error;
    throw errors.notSymbols(
      `${formatFileName(name)} is compressed with ${packing} and can't be unpacked: ${problem}. Compress it again, or send it as it is.`,
      { cause: error },
    );
  }
}

/** Throws `missingBuildId` and `unknownBuildOfFile`. */
function requireNamedBuild(ctx: Context, gameId: string, buildId = ''): Promise<Build> {
  if (buildId === '')
    throw errors.missingBuildId('build_id: missing. Send the build_id that the registration returned.');
  if (!isUuid(buildId))
    throw errors.unknownBuildOfFile('build_id: not a build id. Send the build_id that the registration returned.');
  return requireBuild(ctx.db, gameId, { buildId });
}

/**
 * Throws `invalidFile` without a checksum, which only sym_upload may omit, and `wrongChecksum` if it does not match.
 */
function requireChecksum(form: SymbolForm, fields: Fields, digest: string): void {
  if (form === 'breakpad' && fields.checksum === undefined) return;
  const problem = findProblem(Form, { ...fields });
  if (problem !== null) throw errors.invalidFile(problem);
  if (canonicalChecksum(fields.checksum ?? '') === digest) return;
  throw errors.wrongChecksum(
    'checksum: the received bytes have a different SHA-256. Compute it again and repeat the upload.',
  );
}

async function spoolZip(ctx: Context, bytes: AsyncIterable<Uint8Array>): Promise<Spooled> {
  try {
    return await spool(await openSpool(ctx.config.dataFolder), bytes, {
      maxBytes: LIMITS.symbolUploadBytes,
      tooLarge: uploadTooLarge,
    });
  } catch (error) {
    throw storeFailure(error);
  }
}

export function uploadTooLarge(): ApiError {
  return errors.tooLarge(
    `The upload is larger than ${LIMITS.symbolUploadBytes / GIB} GB. Send the symbol files in several uploads.`,
  );
}

/** Stores all files of the zip or none. */
async function storeZip(
  ctx: Context,
  gameId: string,
  { file, size }: Spooled,
  storage: FreeStorage,
): Promise<StoredFile[]> {
  const files: StoredFile[] = [];
  const unpacked = { bytes: 0 };
  try {
    for await (const { name, bytes } of unpack(file, size)) {
      const source = countUnpacked(unpackText(name, bytes), unpacked);
      files.push(await storeFile(ctx, gameId, { name, source, storage }));
    }
    return files;
  } catch (error) {
    await dropSymbolBlobs(
      ctx,
      files.map((stored) => contentOf(stored).blobKey),
    );
    throw storeFailure(error);
  }
}

/** Throws `tooLarge` if the files of a zip, of which some are compressed again, have too many bytes together. */
async function* countUnpacked(source: ByteSource, unpacked: { bytes: number }): AsyncGenerator<Uint8Array> {
  for await (const bytes of source) {
    unpacked.bytes += bytes.length;
    if (unpacked.bytes > LIMITS.symbolUnpackedBytes) throw unpacksTooLarge();
    yield bytes;
  }
}

type Spooled = {
  /** The caller closes it. */
  readonly file: FileHandle;
  readonly size: number;
  /** SHA-256 of the bytes as 64 lowercase hex digits. */
  readonly checksum: string;
};

/**
 * Stores up to `maxBytes` bytes of `source` in `folder`. Throws `tooLarge()` if there are more, and errors of the
 * source and the disk.
 */
export async function spool(
  folder: string,
  source: ByteSource,
  { maxBytes, tooLarge }: { maxBytes: number; tooLarge: () => Error },
): Promise<Spooled> {
  const file = await openUnlinked(folder);
  const hash = createHash('sha256');
  let size = 0;
  async function* measured() {
    for await (const bytes of source) {
      size += bytes.length;
      if (size > maxBytes) throw tooLarge();
      hash.update(bytes);
      yield bytes;
    }
  }
  try {
    await writeFile(file, measured());
    return { file, size, checksum: hash.digest('hex') };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openUnlinked(folder: string): Promise<FileHandle> {
  const path = join(folder, newId());
  const file = await open(path, 'wx+', PRIVATE_FILE);
  await unlink(path);
  return file;
}
