// Receives a crash from Unreal Engine's CrashReportClient: a zlib stream of an archive with context, log and dump.
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { errors } from '@chauffeur/contract/errors';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../../../context.ts';
import { bytesOf } from '../../../../kernel/blobs/byte-source.ts';
import { PRIVATE_FILE, withWorkFolder } from '../../../../kernel/private-files.ts';
import { BodyTooLargeError, receiveBody } from '../../../../request/body.ts';
import type { OpenedReport } from '../create.ts';
import { type KeepAttachment, type KeepFile, type ReportBody, receiveWhole } from '../one-shot.ts';
import { type ArchivedFile, BadArchiveError, listArchive } from './archive.ts';
import { detailsOfContext } from './context.ts';

/** A dump, a log, and the other files of the client. */
const MAX_ARCHIVE_BYTES = 2 * LIMITS.crashFileBytes + 64 * MIB;
/** Usually a few hundred KiB. */
const MAX_CONTEXT_BYTES = 4 * MIB;

/**
 * Receives the archive in `request`. It is decompressed into a file first, because the positions of its files are only
 * known at its end. Throws like `receiveWhole`, and `tooLarge` if it decompresses to more than allowed.
 */
export function receiveUnreal(ctx: Context, request: FastifyRequest): Promise<OpenedReport> {
  return receiveWhole(ctx, request, async (keep, attachments) => {
    return withWorkFolder(ctx.config.dataFolder, async (folder) => {
      await using file = await open(join(folder, 'archive'), 'w+', PRIVATE_FILE);
      await inflate(ctx, request, file);
      return await readArchive(file, keep, attachments);
    });
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
      throw errors.tooLarge(`The archive decompresses to more than ${MAX_ARCHIVE_BYTES / MIB} MB. Send a smaller one.`);
    throw error;
  }
}

async function readArchive(file: FileHandle, keep: KeepFile, attachments: KeepAttachment): Promise<ReportBody> {
  const files = await listFiles(file);
  const context = files.find(({ name }) => /\.runtime-xml$/i.test(name));
  const dump = files.find(({ magic }) => magic === 'MDMP' || magic === 'PMDM');
  const log = files.find(({ name }) => /\.log$/i.test(name));
  if (context === undefined && dump === undefined && log === undefined)
    throw errors.unreadableBody('The archive contains no context, log or dump.');
  if (dump !== undefined) await keep('dump', contentOf(file, dump));
  if (log !== undefined) await keep('log', contentOf(file, log));
  for (const [index, other] of files.filter((each) => ![context, dump, log].includes(each)).entries()) {
    if (index < LIMITS.crashAttachments) await attachments.keep(other.name, contentOf(file, other));
    else attachments.leaveOut(other.name);
  }
  const xml = context === undefined ? '' : await textOf(file, context);
  return { source: 'unreal', ids: {}, clientRef: null, details: (omissions) => detailsOfContext(xml, omissions) };
}

async function listFiles(file: FileHandle): Promise<ArchivedFile[]> {
  try {
    return await listArchive(file);
  } catch (cause) {
    if (!(cause instanceof BadArchiveError)) throw cause;
    throw errors.unreadableBody('The body is not an archive of CrashReportClient.', { cause });
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
