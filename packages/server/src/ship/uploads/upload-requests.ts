// The streaming routes of uploads: forms with a complete file or a chunk, and the form that opens a session.
import { CODES, errors } from '@chauffeur/contract/errors';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import * as contract from '@chauffeur/contract/operations/uploads';
import type { FastifyRequest } from 'fastify';
import type { Context, GameCaller } from '../../context.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { requireVerifiedOwner } from '../../people/games/games.ts';
import { type Fields, readForm } from '../../request/form.ts';
import type { FilePart } from '../../request/multipart.ts';
import { answer } from '../../request/perform.ts';
import { stream } from '../../request/route.ts';
import { requireFreeStorage } from '../usage/usage.ts';
import { receiveChunk } from './chunk.ts';
import { startSingleUpload } from './single.ts';
import { tooLarge } from './target.ts';
import { openSession } from './uploads.ts';

/** The maximum size of the text fields and part headers of a form, in addition to its file. */
const FORM_BYTES = 8 * MIB;

/** `POST …/tool/upload/files`: a chunk if either of the chunk headers is present, otherwise the complete zip. */
export const receiveUpload = stream(contract.uploadFile, async (ctx, { caller, request }) => {
  const { 'x-upload-session-id': sessionId, 'content-range': contentRange } = request.headers;
  ctx.metrics.uploadsInProgress.inc();
  try {
    if (sessionId === undefined && contentRange === undefined)
      return answer(201, await receiveWhole(ctx, caller, request));
    await countUse(ctx, ctx.db, caller.gameId, {
      name: 'chunks',
      max: ctx.config.limitChunks,
      windowSeconds: 3600,
    });
    const headers = { sessionId: String(sessionId ?? ''), contentRange: contentRange ?? '' };
    const data = await receiveChunk(ctx, caller, headers, (onFile, signal) => readFormOf(ctx, request, onFile, signal));
    return answer('file_uid' in data ? 201 : 202, data);
  } finally {
    ctx.metrics.uploadsInProgress.dec();
  }
});

async function receiveWhole(ctx: Context, game: GameCaller, request: FastifyRequest): Promise<contract.UploadedFile> {
  await requireVerifiedOwner(ctx, game.gameId);
  // Refuses a too large upload before its bytes are sent. A form without a length is measured while it arrives.
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > LIMITS.fileBytes + FORM_BYTES) throw tooLarge();
  const storage = await requireFreeStorage(ctx, game.gameId, Math.max(1, announced - FORM_BYTES));
  await countUse(ctx, ctx.db, game.gameId, {
    name: 'uploads',
    max: ctx.config.limitUploads,
    windowSeconds: 3600,
  });
  const upload = startSingleUpload(ctx, game, storage);
  try {
    return await upload.finish(await readFormOf(ctx, request, upload.store));
  } catch (error) {
    await upload.discard();
    throw error;
  }
}

function readFormOf(
  ctx: Context,
  request: FastifyRequest,
  onFile: (part: FilePart, fields: Fields) => Promise<void>,
  signal?: AbortSignal,
): Promise<Fields> {
  const idleMs = ctx.config.uploadIdleSeconds * 1000;
  return readForm(request.raw, {
    onFile,
    maxBytes: LIMITS.fileBytes + FORM_BYTES,
    maxFiles: 1,
    invalid: CODES.unreadableForm,
    idleMs,
    signal,
    checkAccess: request.checkAccess,
  });
}

/** `POST …/tool/upload/sessions`: a urlencoded form, or JSON with the same fields. */
export const openUploadSession = stream(contract.openUploadSession, async (ctx, { caller, request }) => {
  if (typeof request.body !== 'object' || request.body === null) {
    throw errors.unreadableForm('The form could not be read. Send it as application/x-www-form-urlencoded.');
  }
  const texts = Object.entries(request.body).filter(
    ([, value]) => typeof value === 'string' || typeof value === 'number',
  );
  const fields = Object.fromEntries(texts.map(([name, value]) => [name, String(value)]));
  return answer(201, await openSession(ctx, caller, fields));
});
