// Receives the dump or log of a report at its single-use upload address.
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../../context.ts';
import { PackedTooLargeError } from '../../../kernel/blobs/packed.ts';
import { isStorageFull } from '../../../kernel/storage-full.ts';
import { type Body, BodyTooLargeError, receiveBody } from '../../../request/body.ts';
import { isFormType } from '../../../request/form.ts';
import { bytesLeft, dailyLimits, tooManyBytes } from './daily-limits.ts';
import { readCrashForm } from './forms/read-form.ts';
import { attachFile, findUsedBeforeUpload, type StoredFile } from './reports.sql.ts';
import { type FileLimits, FileTooLargeError, storeFile } from './store-file.ts';
import { type CrashFileKind, openToken, uploadsEndOf } from './tokens.ts';

/** Allowed for a form in addition to its file. */
const FORM_BYTES = MIB;

export type UploadReceipt = { crash_id: string; kind: 'dump' | 'log'; size: number };

/**
 * Stores the file and adds it to its report. If two clients upload the same file, the first to finish wins. Throws 4040
 * for an address that is used, expired or unknown, 4043, 4001, 4290 past the game's daily limit, and errors of the
 * store. The address can be used again after an error.
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
  if (Number(request.headers['content-length'] ?? 0) > LIMITS.crashFileBytes + FORM_BYTES) throw tooLarge(grant);
  const file = await store(ctx, grant, request, maxStored);
  // With the limits of the current day: a new one may have begun during the upload.
  const outcome = await attachFile(ctx.db, grant, file, dailyLimits(ctx)).catch(async (error) => {
    // After other errors the file may have been added, so it is left to the sweep. If the database was full, nothing
    // was written.
    if (isStorageFull(error)) await ctx.blobs.delete(file.key);
    throw error;
  });
  if (outcome !== 'attached') {
    await ctx.blobs.delete(file.key);
    throw outcome === 'taken' ? unknownAddress() : tooManyBytes(ctx);
  }
  ctx.metrics.uploadedBytes.inc({ way: 'crash' }, file.size);
  return { crash_id: grant.reportId, kind: grant.kind, size: file.size };
}

type UploadGrant = { kind: CrashFileKind; gameId: string; reportId: string };

/** Null for a token that is invalid, expired, or only allows reading. */
function openUploadToken(ctx: Context, token: string): UploadGrant | null {
  const grant = openToken(ctx, token);
  if (grant === null || grant.allows === 'read' || uploadsEndOf(grant.reportId) <= ctx.clock.now()) return null;
  return { ...grant, kind: grant.allows };
}

function store(ctx: Context, grant: UploadGrant, request: FastifyRequest, maxStored: number): Promise<StoredFile> {
  const maxBytes = LIMITS.crashFileBytes + FORM_BYTES;
  const idleMs = ctx.config.uploadIdleSeconds * 1000;
  const limits = { maxBytes: LIMITS.crashFileBytes, maxStored };
  return receiveBody(request.raw, { maxBytes, idleMs }, (body) => storeBody(ctx, grant, request, body, limits));
}

async function storeBody(
  ctx: Context,
  grant: UploadGrant,
  request: FastifyRequest,
  body: Body,
  limits: FileLimits,
): Promise<StoredFile> {
  const { kind, reportId } = grant;
  let stored: StoredFile | undefined;
  let isCut = false;
  try {
    if (isForm(request)) {
      await readCrashForm(body, request.headers, {
        kindOf: () => kind,
        async onPart({ bytes, isTruncated }) {
          stored = await storeFile(ctx, reportId, kind, bytes, limits);
          isCut = isTruncated();
        },
      });
    } else stored = await storeFile(ctx, reportId, kind, body, limits);
    if (isCut) throw tooLarge(grant);
    if (stored === undefined || stored.size === 0) throw empty(grant);
    return stored;
  } catch (error) {
    if (stored !== undefined) await ctx.blobs.delete(stored.key);
    if (error instanceof PackedTooLargeError) throw tooManyBytes(ctx);
    throw error instanceof FileTooLargeError || error instanceof BodyTooLargeError ? tooLarge(grant) : error;
  }
}

/** Whether the content type of the body is a form's. */
export function isForm(request: FastifyRequest): boolean {
  return isFormType(request.headers['content-type'] ?? '');
}

function unknownAddress(): ApiError {
  return new ApiError(
    4040,
    'This upload address does not exist, has expired, or was already used. Report the crash again to get a new one.',
  );
}

function tooLarge({ kind }: UploadGrant): ApiError {
  const maxMb = LIMITS.crashFileBytes / MIB;
  return new ApiError(
    4043,
    kind === 'dump'
      ? `The dump is larger than ${maxMb} MB. Send a smaller one.`
      : `The log is larger than ${maxMb} MB. Send a smaller one.`,
  );
}

function empty({ kind }: UploadGrant): ApiError {
  return new ApiError(
    4001,
    kind === 'dump'
      ? 'The body contains no dump. Send the bytes of the dump.'
      : 'The body contains no log. Send the bytes of the log.',
  );
}
