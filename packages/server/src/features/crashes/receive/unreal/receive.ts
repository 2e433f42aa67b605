// Takes a crash as Unreal Engine’s CrashReportClient sends it: one zlib stream of an archive with context, log and dump.
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../../../context.ts';
import { BodyTooLargeError, receiveBody } from '../../../../kernel/body.ts';
import { bytesOf } from '../../../../kernel/byte-source.ts';
import type { OpenedReport } from '../create.ts';
import { type KeepFile, receiveWhole, type Whole } from '../one-shot.ts';
import { type ArchivedFile, BadArchiveError, listArchive } from './archive.ts';
import { factsOfContext } from './context.ts';

/** A dump, a log, and what else the client puts beside them. */
const MAX_ARCHIVE_BYTES = 2 * LIMITS.crashFileBytes + 64 * MIB;
/** Real ones have a few hundred KiB. */
const MAX_CONTEXT_BYTES = 4 * MIB;

/**
 * Receives the archive in `request`. It is inflated into a file first: where its files are is known only at its end. Throws as
 * `receiveWhole`, and 4043 when it inflates to more than it may.
 */
export function receiveUnreal(ctx: Context, request: FastifyRequest): Promise<OpenedReport> {
  return receiveWhole(ctx, request, async (keep) => {
    const folder = await mkdtemp(join(tmpdir(), 'chauffeur-unreal-'));
    try {
      await using file = await open(join(folder, 'archive'), 'w+');
      await inflate(ctx, request, file);
      return await readArchive(file, keep);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

async function inflate(ctx: Context, request: FastifyRequest, file: FileHandle): Promise<void> {
  const idleMs = ctx.config.uploadIdleSeconds * 1000;
  try {
    await receiveBody(request.raw, { encoding: 'zlib', maxBytes: MAX_ARCHIVE_BYTES, idleMs }, async (body) => {
      for await (const bytes of body) await file.writeFile(bytes);
    });
  } catch (error) {
    if (error instanceof BodyTooLargeError)
      throw new ApiError(4043, `The archive unpacks to more than ${MAX_ARCHIVE_BYTES / MIB} MB; send less.`);
    throw error;
  }
}

async function readArchive(file: FileHandle, keep: KeepFile): Promise<Whole> {
  const files = await listFiles(file);
  const context = files.find(({ name }) => /\.runtime-xml$/i.test(name));
  const dump = files.find(({ magic }) => magic === 'MDMP' || magic === 'PMDM');
  const log = files.find(({ name }) => /\.log$/i.test(name));
  if (context === undefined && dump === undefined && log === undefined)
    throw unreadable('it holds no context, log or dump');
  if (dump !== undefined) await keep('dump', contentOf(file, dump));
  if (log !== undefined) await keep('log', contentOf(file, log));
  const xml = context === undefined ? '' : await textOf(file, context);
  return { source: 'unreal', ids: {}, clientRef: null, facts: (omitted) => factsOfContext(xml, omitted) };
}

async function listFiles(file: FileHandle): Promise<ArchivedFile[]> {
  try {
    return await listArchive(file);
  } catch (cause) {
    throw cause instanceof BadArchiveError ? unreadable('it is not what the client sends', cause) : cause;
  }
}

async function* contentOf(file: FileHandle, { start, size }: ArchivedFile): AsyncGenerator<Uint8Array, undefined> {
  if (size > 0) yield* bytesOf(() => file.createReadStream({ start, end: start + size - 1, autoClose: false }));
}

async function textOf(file: FileHandle, { start, size }: ArchivedFile): Promise<string> {
  const length = Math.min(size, MAX_CONTEXT_BYTES);
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, start);
  return buffer.toString('utf8');
}

function unreadable(reason: string, cause?: unknown): ApiError {
  return new ApiError(4001, `The archive could not be read: ${reason}.`, { cause });
}
