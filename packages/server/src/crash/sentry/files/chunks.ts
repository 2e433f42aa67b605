// Receives the chunks of files that sentry-cli uploads, and keeps them until a job makes files of them. A chunk is named
// by the SHA-1 of its content, and belongs to one game. The keys are `symbols/<game>/<id>.chunk`.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { CODES, errors } from '@chauffeur/contract/errors';
import { formatBytes } from '@chauffeur/contract/format';
import { LIMITS } from '@chauffeur/contract/limits';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../../context.ts';
import { bytesOfBuffer } from '../../../kernel/blobs/byte-source.ts';
import { DAY, HOUR } from '../../../kernel/clock.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';
import { countUse } from '../../../kernel/limits/rate-limit.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { requireVerifiedOwner } from '../../../people/game-access/game-access.ts';
import { readForm } from '../../../request/form.ts';
import type { FilePart } from '../../../request/multipart.ts';
import { requireFreeStorage } from '../../../ship/usage/usage.ts';
import { dropSymbolBlobs, SYMBOLS_PREFIX, storeFailure } from '../../symbols/store-text.ts';
import type { Project } from '../releases/releases.ts';
import * as sql from './files.sql.ts';

/** The headers of gzip, and of the part. */
const OVERHEAD = 64 * 1024;

/** What sentry-cli asks for before it uploads. */
export function capabilitiesOf(address: string) {
  return {
    url: address,
    chunkSize: LIMITS.sentryChunkBytes,
    chunksPerRequest: LIMITS.sentryChunksOfRequest,
    maxFileSize: LIMITS.nativeFileBytes,
    maxRequestSize: LIMITS.sentryRequestBytes,
    concurrency: 4,
    hashAlgorithm: 'sha1',
    compression: ['gzip'],
    accept: ['debug_files', 'pdbs', 'release_files', 'artifact_bundles', 'artifact_bundles_v2', 'proguard', 'il2cpp'],
  };
}

/**
 * Stores all chunks of a form or none. Throws `unreadableForm` for a form of another kind, or a chunk that does not have
 * the hash in its name, `storageLimitReached`, `ownerNotVerified` and `limitReached`.
 */
export async function receiveChunks(ctx: Context, { gameId }: Project, request: FastifyRequest): Promise<void> {
  await requireVerifiedOwner(ctx, gameId);
  await countUse(ctx, ctx.db, gameId, { name: 'chunks', max: ctx.config.limitChunks, windowSeconds: HOUR / 1000 });
  const room = await roomFor(ctx, gameId);
  const chunks = new Map<string, sql.NewChunk>();
  let used = new Set<string>();
  let isRecorded = false;
  const onFile = async (part: FilePart) => {
    const chunk = await readChunk(part);
    room.take(chunk.bytes.length);
    if (!chunks.has(chunk.sha1)) chunks.set(chunk.sha1, await store(ctx, gameId, chunk));
  };
  try {
    await readForm(ctx, request, {
      onFile,
      maxBytes: LIMITS.sentryRequestBytes + LIMITS.sentryChunksOfRequest * OVERHEAD,
      maxFiles: LIMITS.sentryChunksOfRequest,
      fileNames: ['file', 'file_gzip'],
      invalid: CODES.unreadableForm,
    });
    // After an error, rows may exist, so the blobs are left to the sweep.
    isRecorded = true;
    used = await sql.insertChunks(ctx.db, gameId, [...chunks.values()], ctx.clock.now());
  } catch (error) {
    if (!isRecorded) await dropSymbolBlobs(ctx, keysOf(chunks));
    throw error;
  }
  await dropSymbolBlobs(
    ctx,
    keysOf(chunks).filter((key) => !used.has(key)),
  );
}

function keysOf(chunks: ReadonlyMap<string, sql.NewChunk>): string[] {
  return [...chunks.values()].map(({ blobKey }) => blobKey);
}

/** What a game may keep in chunks, at most as much as it has free storage. */
async function roomFor(ctx: Context, gameId: string) {
  const storage = await requireFreeStorage(ctx, gameId);
  const { count, bytes } = await sql.readChunkTotals(ctx.db, gameId);
  let free = { count: LIMITS.sentryChunks - count, bytes: Math.min(LIMITS.sentryChunksBytes, storage.bytes) - bytes };
  return {
    take(size: number): void {
      free = { count: free.count - 1, bytes: free.bytes - size };
      if (free.count >= 0 && free.bytes >= 0) return;
      if (storage.bytes < LIMITS.sentryChunksBytes) throw storage.exceeded();
      throw errors.storageLimitReached(
        `The game has ${formatBytes(LIMITS.sentryChunksBytes)} of chunks that no file is made of yet, which is the limit. They are deleted within an hour: upload fewer files at once.`,
      );
    },
  };
}

const unzip = promisify(gunzip);

async function readChunk({ name, filename, bytes: source }: FilePart): Promise<{ sha1: string; bytes: Buffer }> {
  if (!/^[0-9a-f]{40}$/.test(filename)) throw errors.unreadableForm('The name of a chunk has to be its SHA-1.');
  const sent = await collect(source);
  const bytes = name === 'file_gzip' ? await unzipChunk(sent) : sent;
  if (bytes.length > LIMITS.sentryChunkBytes) throw chunkTooLarge();
  if (createHash('sha1').update(bytes).digest('hex') !== filename)
    throw errors.unreadableForm(`The chunk ${filename} has another SHA-1. Send it again.`);
  return { sha1: filename, bytes };
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of source) {
    size += part.length;
    if (size > LIMITS.sentryChunkBytes + OVERHEAD) throw chunkTooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts, size);
}

async function unzipChunk(bytes: Buffer): Promise<Buffer> {
  try {
    return await unzip(bytes, { maxOutputLength: LIMITS.sentryChunkBytes });
  } catch (cause) {
    if ((cause as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw chunkTooLarge();
    throw errors.unreadableForm('A chunk is not in gzip, or cut off. Send it again.', { cause });
  }
}

function chunkTooLarge() {
  return errors.unreadableForm(`A chunk is larger than ${formatBytes(LIMITS.sentryChunkBytes)}.`);
}

async function store(ctx: Context, gameId: string, { sha1, bytes }: { sha1: string; bytes: Buffer }) {
  const blobKey = `${SYMBOLS_PREFIX}${gameId}/${newId()}.chunk`;
  const size = bytes.length;
  try {
    await ctx.blobs.put(blobKey, bytesOfBuffer(bytes));
  } catch (error) {
    await dropSymbolBlobs(ctx, [blobKey]);
    throw storeFailure(error);
  }
  return { sha1, size, blobKey };
}

export const sweepSentryFilesJob = defineJob(
  'sentry-files:sweep',
  { attempts: 3, cron: '*/10 * * * *', lane: 'long', deletesOld: true },
  sweepSentryFiles,
);

const CHUNK_LIFE = HOUR;
const FILE_LIFE = 90 * DAY;
const BATCH = 500;

/** Deletes chunks that are no longer used, and files that no one has asked for. What became of these stays. */
export async function sweepSentryFiles(ctx: Context): Promise<void> {
  const now = ctx.clock.now().getTime();
  for (let keys = [''], first = true; first || keys.length === BATCH; first = false) {
    keys = await sql.deleteOldChunks(ctx.db, new Date(now - CHUNK_LIFE), BATCH);
    await dropSymbolBlobs(ctx, keys);
  }
  await sql.deleteOldFiles(ctx.db, new Date(now - FILE_LIFE));
}
