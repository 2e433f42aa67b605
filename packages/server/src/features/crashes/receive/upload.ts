// Receives the dump or the log of a report at its single-use address.
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../../context.ts';
import { PackedTooLargeError } from '../../../kernel/blobs/packed.ts';
import { type Body, BodyTooLargeError, receiveBody } from '../../../kernel/body.ts';
import { isFormType } from '../../../kernel/form.ts';
import { hasNoRoom } from '../../../kernel/no-room.ts';
import { bytesLeft, dailyLimits, tooManyBytes } from './daily-limits.ts';
import { readCrashForm } from './forms/read-form.ts';
import { attachFile, findWanting, type StoredFile } from './reports.sql.ts';
import { type FileLimits, FileTooLargeError, storeFile } from './store-file.ts';
import { type CrashFileKind, openToken, uploadsEndOf } from './tokens.ts';

/** What a form may hold beside its file. */
const FORM_BYTES = MIB;

export type UploadReceipt = { crash_id: string; kind: 'dump' | 'log'; size: number };

/**
 * Stores the file, then gives it to its report. Of two senders the first to end wins, and the other’s bytes are gone. Throws 4040
 * for an address that is used, expired or unknown, 4043, 4001, 4290 past the day’s bytes, and what the store throws; after those the address is as good as before.
 */
export async function receiveUpload(ctx: Context, token: string, request: FastifyRequest): Promise<UploadReceipt> {
  const grant = openUploadToken(ctx, token);
  const limits = dailyLimits(ctx);
  const used = grant === null ? undefined : await findWanting(ctx.db, grant, limits.day);
  if (grant === null || used === undefined) throw unusable();
  // The address itself has counted already.
  const maxStored = bytesLeft({ ...limits, uploads: 0 }, used);
  if (maxStored === 0) throw tooManyBytes(ctx);
  // Told before 64 MB were sent in vain. A body that does not say its length is measured as it comes.
  if (Number(request.headers['content-length'] ?? 0) > LIMITS.crashFileBytes + FORM_BYTES) throw tooLarge(grant);
  const file = await store(ctx, grant, request, maxStored);
  // By the limits of when it is there, which may be another day than when it began.
  const outcome = await attachFile(ctx.db, grant, file, dailyLimits(ctx)).catch(async (error) => {
    // After any other error the file may be the report’s all the same; the sweeper finds out. A full database has written nothing.
    if (hasNoRoom(error)) await ctx.blobs.delete(file.key);
    throw error;
  });
  if (outcome !== 'attached') {
    await ctx.blobs.delete(file.key);
    throw outcome === 'taken' ? unusable() : tooManyBytes(ctx);
  }
  ctx.metrics.uploadedBytes.inc({ way: 'crash' }, file.size);
  return { crash_id: grant.reportId, kind: grant.kind, size: file.size };
}

type UploadGrant = { kind: CrashFileKind; gameId: string; reportId: string };

/** Null for a token that is not ours, reads only, or is too old. */
function openUploadToken(ctx: Context, token: string): UploadGrant | null {
  const grant = openToken(ctx, token);
  if (grant === null || grant.allows === 'read' || uploadsEndOf(grant.reportId) <= ctx.clock.now()) return null;
  return { ...grant, kind: grant.allows };
}

function store(ctx: Context, grant: UploadGrant, request: FastifyRequest, maxStored: number): Promise<StoredFile> {
  const maxBytes = LIMITS.crashFileBytes + FORM_BYTES;
  const idleMs = ctx.config.uploadIdleSeconds * 1000;
  const limits = { most: LIMITS.crashFileBytes, maxStored };
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
    if (stored === undefined || stored.size === 0)
      throw new ApiError(4001, `The body holds no ${kind}; send its bytes.`);
    return stored;
  } catch (error) {
    if (stored !== undefined) await ctx.blobs.delete(stored.key);
    if (error instanceof PackedTooLargeError) throw tooManyBytes(ctx);
    throw error instanceof FileTooLargeError || error instanceof BodyTooLargeError ? tooLarge(grant) : error;
  }
}

/** Whether the body says that it is a form. */
export function isForm(request: FastifyRequest): boolean {
  return isFormType(request.headers['content-type'] ?? '');
}

function unusable(): ApiError {
  return new ApiError(
    4040,
    'This upload address was used, has expired or never was; report the crash again for a new one.',
  );
}

function tooLarge({ kind }: UploadGrant): ApiError {
  return new ApiError(4043, `The ${kind} is larger than ${LIMITS.crashFileBytes / MIB} MB; send at most that.`);
}
