// Puts the chunks of an uploaded file together, and stores it as symbols that belong to no build, or as scripts and
// mappings. Nothing is stored of a kind of file that isn't used.
import { createHash } from 'node:crypto';
import { ApiError, errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { Context } from '../../../context.ts';
import { bytesOf } from '../../../kernel/blobs/byte-source.ts';
import { peek } from '../../../kernel/blobs/peek.ts';
import { BlobMissingError, type ByteSource } from '../../../kernel/blobs/store.ts';
import { type Attempt, bindJob } from '../../../kernel/jobs/jobs.ts';
import { openSpool } from '../../../kernel/private-files.ts';
import { type FreeStorage, requireFreeStorage } from '../../../ship/usage/usage.ts';
import { recordMappings, type StoredMapping, storeMapping } from '../../symbols/mappings/store-mapping.ts';
import { spool, uploadTooLarge } from '../../symbols/receive.ts';
import { recordSymbols } from '../../symbols/record.ts';
import { type StoredFile, storeFile } from '../../symbols/store-native.ts';
import { dropSymbolBlobs, type StoredText } from '../../symbols/store-text.ts';
import { assembleJob, BUNDLE_NAME, type FilePayload } from './assemble.ts';
import { storeBundle } from './bundle.ts';
import { unusedReasonOf } from './file-kind.ts';
import * as sql from './files.sql.ts';

export const assembleBinding = bindJob(assembleJob, assembleFile);

/** Safe to run twice: equal contents are stored once, and a file that is done is skipped. */
export async function assembleFile(ctx: Context, { gameId, sha1 }: FilePayload, attempt: Attempt): Promise<void> {
  const file = await sql.findQueued(ctx.db, gameId, sha1);
  if (file === undefined) return;
  try {
    const stored = await storeAssembled(ctx, gameId, sha1, file);
    await sql.recordStored(ctx.db, gameId, sha1, { ...stored, now: ctx.clock.now() });
  } catch (error) {
    const problem = reasonOf(error) ?? (attempt.last ? 'The file could not be stored. Upload it again.' : null);
    if (problem === null) throw error;
    ctx.log.info({ err: error, game: gameId, sha1 }, 'an uploaded file is not used');
    await sql.recordFailed(ctx.db, gameId, sha1, { problem, now: ctx.clock.now() });
  }
}

/** The reason for an error that another try can't fix. */
function reasonOf(error: unknown): string | null {
  if (error instanceof ApiError && error.status < 500) return error.message;
  return null;
}

async function storeAssembled(ctx: Context, gameId: string, sha1: string, file: sql.QueuedFile): Promise<sql.Stored> {
  const chunks = await findChunks(ctx, gameId, file.chunks);
  const size = chunks.reduce((sum, chunk) => sum + chunk.size, 0);
  if (size > LIMITS.nativeFileBytes) throw errors.tooLarge('The file is larger than 2 GB, the limit for a file.');
  const storage = await requireFreeStorage(ctx, gameId);
  if (file.name === BUNDLE_NAME) {
    const mappings = await unpackBundle(ctx, gameId, bytesOfChunks(ctx, gameId, chunks, sha1), { ...file, storage });
    const recorded = await recordMappings(ctx, gameId, { keyRef: file.key_ref, mappings });
    return { checksum: null, mappingUids: recorded.map(({ mapping_uid: uid }) => uid), size };
  }
  const { head, all, discard } = await peek(bytesOfChunks(ctx, gameId, chunks, sha1), HEAD_BYTES);
  const reason = unusedReasonOf(head);
  if (reason !== null) {
    await discard();
    throw errors.notSymbols(reason);
  }
  ctx.metrics.symbolFiles.inc(1);
  ctx.metrics.uploadedBytes.inc({ way: 'symbols' }, size);
  const kind = mappingKindOf(file, head);
  const stored =
    kind === null
      ? await storeFile(ctx, gameId, { name: file.name, source: all, storage })
      : { mapping: await storeMapping(ctx, gameId, { ...kind, fileName: file.name, source: all, storage }) };
  return { ...(await record(ctx, gameId, file.key_ref, stored)), size };
}

/** What the names and first bytes of mappings say that have other names than those of `chauffeur symbols`. */
function mappingKindOf({ name, debug_id: debugId }: sql.QueuedFile, head: Buffer): MappingHint | null {
  const [, uuid] = /^\/?proguard\/([0-9a-f-]{36})\.txt$/i.exec(name) ?? [];
  if (uuid !== undefined) return { kind: 'proguard', debugId: uuid };
  // The line mapping of a program that Unity compiled, which sentry-cli makes of the program and its sources.
  return head[0] === BRACE && debugId !== '' ? { kind: 'il2cpp', debugId } : null;
}

type MappingHint = { readonly kind: 'proguard' | 'il2cpp'; readonly debugId: string };
const BRACE = 0x7b;

async function record(
  ctx: Context,
  gameId: string,
  keyRef: string,
  stored: StoredFile,
): Promise<Pick<sql.Stored, 'checksum' | 'mappingUids'>> {
  if ('mapping' in stored) {
    const recorded = await recordMappings(ctx, gameId, { keyRef, mappings: [stored.mapping] });
    return { checksum: null, mappingUids: recorded.map(({ mapping_uid: uid }) => uid) };
  }
  if ('text' in stored && isUseless(stored.text)) {
    await dropSymbolBlobs(ctx, [stored.text.blobKey]);
    throw errors.notSymbols(USELESS);
  }
  const texts = 'text' in stored ? [stored.text] : [];
  const natives = 'native' in stored ? [stored.native] : [];
  await recordSymbols(ctx, { owner: { game_id: gameId, build_id: null }, keyRef, texts, natives });
  return { checksum: 'text' in stored ? stored.text.checksum : stored.native.checksum, mappingUids: [] };
}

const HEAD_BYTES = 4096;

const USELESS = 'It has neither functions nor unwind rules, or no debug id, so no crash report could use it.';

function isUseless({ module, detail, unwind }: StoredText): boolean {
  return (detail === 0 && unwind === 0) || (module.codeId === '' && /^0*$/.test(module.debugId));
}

type BundleOf = Pick<sql.QueuedFile, 'release' | 'dist'> & { readonly storage: FreeStorage };

async function unpackBundle(ctx: Context, gameId: string, source: ByteSource, of: BundleOf): Promise<StoredMapping[]> {
  const spooled = await spool(await openSpool(ctx.config.dataFolder), source, {
    maxBytes: LIMITS.nativeFileBytes,
    tooLarge: uploadTooLarge,
  });
  try {
    return await storeBundle(ctx, gameId, spooled, of);
  } finally {
    await spooled.file.close();
  }
}

const LOST = 'Some chunks are no longer on the server. Upload the file again.';

/** Returns them in the order of the file, where a chunk may occur several times. Throws `notSymbols` if one is gone. */
async function findChunks(ctx: Context, gameId: string, sha1s: readonly string[]): Promise<sql.ChunkRow[]> {
  const found = new Map((await sql.listChunks(ctx.db, gameId, sha1s)).map((chunk) => [chunk.sha1, chunk]));
  return sha1s.map((sha1) => {
    const chunk = found.get(sha1);
    if (chunk === undefined) throw errors.notSymbols(LOST);
    return chunk;
  });
}

/** Throws `notSymbols` at the end if the whole has another hash than the file, before anything is recorded. */
async function* bytesOfChunks(
  ctx: Context,
  gameId: string,
  chunks: readonly sql.ChunkRow[],
  sha1: string,
): ByteSource & AsyncGenerator<Uint8Array> {
  const hash = createHash('sha1');
  for (const { blob_key: key } of chunks) {
    const stream = await ctx.blobs.read(key).catch(async (error: unknown) => {
      if (!(error instanceof BlobMissingError)) throw error;
      await sql.forgetChunk(ctx.db, gameId, key);
      throw errors.notSymbols(LOST, { cause: error });
    });
    for await (const bytes of bytesOf(() => stream)) {
      hash.update(bytes);
      yield bytes;
    }
  }
  if (hash.digest('hex') !== sha1)
    throw errors.notSymbols('Its chunks are not those of a file with this SHA-1. Upload it again.');
}
