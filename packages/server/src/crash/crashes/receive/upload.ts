// Receives the dump, the log or an attachment of a report at its single-use upload address.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { AttachmentKind } from '@chauffeur/contract/operations/crash-attachments';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../../context.ts';
import { type ByteSource, PackedTooLargeError } from '../../../kernel/blobs/store.ts';
import { UnpackError } from '../../../kernel/blobs/unpack-file.ts';
import { isStorageFull } from '../../../kernel/storage-full.ts';
import { type Body, BodyTooLargeError, receiveBody } from '../../../request/body.ts';
import { isFormType } from '../../../request/form.ts';
import { reservePlaces } from '../../../request/held-jobs.ts';
import { processCrashJob } from '../report/jobs.ts';
import { keepRow } from '../report/received-dumps.ts';
import { openAttachmentToken } from './attachment-tokens.ts';
import { ATTACHMENT_LIMITS } from './attachments.ts';
import { bytesLeft, dailyLimits, tooManyBytes } from './daily-limits.ts';
import { readCrashForm } from './forms/read-form.ts';
import type { StoredFile } from './reports.sql.ts';
import { sniff } from './sniff.ts';
import { type FileLimits, FileTooLargeError, storeFile } from './store-file.ts';
import { openToken, uploadsEndOf } from './tokens.ts';
import { type AttachOutcome, attachFile, type FileRef, findUsedBeforeUpload } from './upload.sql.ts';

/** A form at an upload address has only the file, whatever its name. */
const FORM_KIND = 'log';
/** Allowed for a form in addition to its file. */
const FORM_BYTES = MIB;

export type UploadReceipt = { crash_id: string; kind: FileRef['kind']; size: number };

/**
 * Stores the file and adds it to its report. If two clients upload the same file, the first to finish wins. Throws
 * `notFound` for an address that is used, expired or unknown, `tooLarge`, `unreadableBody`, `limitReached` past the
 * game's daily limit, and errors of the store. The address can be used again after an error.
 */
export async function receiveUpload(ctx: Context, token: string, request: FastifyRequest): Promise<UploadReceipt> {
  const grant = openUploadToken(ctx, token);
  const limits = dailyLimits(ctx);
  const used = grant === null ? undefined : await findUsedBeforeUpload(ctx.db, grant, limits.day);
  if (grant === null || used === undefined) throw unknownAddress();
  // The limit of files was checked when the address was created.
  const maxStored = bytesLeft({ ...limits, uploads: 0 }, used);
  if (maxStored === 0) throw tooManyBytes(ctx);
  // Refused before 64 MB are transferred. A body without a length is measured as it arrives.
  if (Number(request.headers['content-length'] ?? 0) > maxBytesOf(grant) + FORM_BYTES) throw tooLarge(grant);
  const file = await store(ctx, grant, request, maxStored);
  const outcome = await attach(ctx, grant, file).catch(async (error) => {
    // After other errors, the file may have been added, so it is left to the sweep. If the database was full, nothing
    // was written.
    if (isStorageFull(error)) await ctx.blobs.delete(file.key);
    throw error;
  });
  if (outcome !== 'attached') {
    await ctx.blobs.delete(file.key);
    if (outcome === 'too_large') throw errors.tooLarge(`The attachments are too large. ${ATTACHMENT_LIMITS}`);
    throw outcome === 'taken' ? unknownAddress() : tooManyBytes(ctx);
  }
  ctx.metrics.uploadedBytes.inc({ way: 'crash' }, file.size);
  return { crash_id: grant.reportId, kind: grant.kind, size: file.size };
}

/** Adds the file to its report, and processes a dump in this process if it has a place for it. */
async function attach(ctx: Context, grant: UploadGrant, file: ReceivedFile): Promise<AttachOutcome> {
  const places = grant.kind === 'dump' ? reservePlaces(ctx, processCrashJob, 1) : null;
  let outcome: AttachOutcome | undefined;
  try {
    // The limits are those of the current day: a new one may have begun during the upload.
    const attached = await attachFile(ctx.db, grant, file, dailyLimits(ctx), places?.processNo);
    outcome = attached.outcome;
    if (attached.row !== undefined) keepRow(ctx, attached.row);
    return outcome;
  } finally {
    // After an error, it may have been added. For a report without a dump, nothing happens.
    const isAttached = outcome === undefined || outcome === 'attached';
    places?.begin(isAttached ? [{ gameId: grant.gameId, reportId: grant.reportId }] : []);
  }
}

type UploadGrant = FileRef;
/** With what the file is, detected from its content. */
type ReceivedFile = StoredFile & { kind: AttachmentKind };

/** Null for a token that is invalid, expired, or only allows reading. */
function openUploadToken(ctx: Context, token: string): UploadGrant | null {
  const attachment = openAttachmentToken(ctx, token);
  const grant = attachment === null ? openToken(ctx, token) : null;
  const reportId = attachment?.reportId ?? grant?.reportId;
  if (reportId === undefined || uploadsEndOf(reportId) <= ctx.clock.now()) return null;
  if (attachment !== null) return { ...attachment, kind: 'attachment' };
  if (grant === null || grant.allows === 'read') return null;
  return { gameId: grant.gameId, reportId, kind: grant.allows };
}

function store(ctx: Context, grant: UploadGrant, request: FastifyRequest, maxStored: number): Promise<ReceivedFile> {
  const maxBytes = maxBytesOf(grant) + FORM_BYTES;
  const idleMs = ctx.config.uploadIdleSeconds * 1000;
  const limits = { maxBytes: maxBytesOf(grant), maxStored };
  return receiveBody(request.raw, { maxBytes, idleMs }, (body) => storeBody(ctx, grant, request, body, limits));
}

async function storeBody(
  ctx: Context,
  grant: UploadGrant,
  request: FastifyRequest,
  body: Body,
  limits: FileLimits,
): Promise<ReceivedFile> {
  const { kind, reportId } = grant;
  let stored: ReceivedFile | undefined;
  let isCut = false;
  try {
    if (isForm(request)) {
      await readCrashForm(body, request.headers, {
        kindOf: () => FORM_KIND,
        async onPart({ bytes, isTruncated }) {
          stored = await storeSniffed(ctx, { reportId, kind }, bytes, limits);
          isCut = isTruncated();
        },
      });
    } else stored = await storeSniffed(ctx, { reportId, kind }, body, limits);
    if (isCut) throw tooLarge(grant);
    if (stored === undefined || stored.size === 0) throw empty(grant);
    return stored;
  } catch (error) {
    if (stored !== undefined) await ctx.blobs.delete(stored.key);
    if (error instanceof PackedTooLargeError) throw tooManyBytes(ctx);
    if (error instanceof UnpackError) throw notUnpackable(grant, error);
    throw error instanceof FileTooLargeError || error instanceof BodyTooLargeError ? tooLarge(grant) : error;
  }
}

async function storeSniffed(
  ctx: Context,
  { reportId, kind }: Pick<UploadGrant, 'reportId' | 'kind'>,
  bytes: ByteSource,
  limits: FileLimits,
): Promise<ReceivedFile> {
  if (kind !== 'attachment') return { ...(await storeFile(ctx, reportId, kind, bytes, limits)), kind: 'other' };
  const sniffed = sniff(bytes);
  const file = await storeFile(ctx, reportId, kind, sniffed.source, limits);
  return { ...file, kind: sniffed.kind() };
}

function maxBytesOf({ kind }: UploadGrant): number {
  return kind === 'attachment' ? LIMITS.crashAttachmentBytes : LIMITS.crashFileBytes;
}

/** Whether the content type of the body is a form's. */
export function isForm(request: FastifyRequest): boolean {
  return isFormType(request.headers['content-type'] ?? '');
}

function unknownAddress(): ApiError {
  return errors.notFound(
    'This upload address does not exist, has expired, or was already used. Report the crash again to get a new one.',
  );
}

function tooLarge(grant: UploadGrant): ApiError {
  return errors.tooLarge(`The ${grant.kind} is larger than ${maxBytesOf(grant) / MIB} MB. Send a smaller one.`);
}

function notUnpackable({ kind }: UploadGrant, error: UnpackError): ApiError {
  const { packing, message: problem } = error;
  const message = `The ${kind} is compressed with ${packing} and can't be unpacked: ${problem}. Compress it again, or send it as it is.`;
  return errors.unreadableBody(message, { cause: error });
}

function empty({ kind }: UploadGrant): ApiError {
  return errors.unreadableBody(`The body contains no ${kind}. Send the bytes of the ${kind}.`);
}
