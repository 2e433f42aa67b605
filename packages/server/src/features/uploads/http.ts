// The streaming routes of uploads: the form of a single upload or of a chunk, and the form that opens a session.
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { FastifyRequest } from 'fastify';
import type { Caller, Context, GameCaller } from '../../context.ts';
import { type Answer, answer } from '../../kernel/answer.ts';
import { type Fields, readForm } from '../../kernel/form.ts';
import type { FilePart } from '../../kernel/multipart.ts';
import { countUse } from '../../kernel/rate-limit.ts';
import { requireVerifiedOwner } from '../games/games.ts';
import { requireRoom } from '../usage/usage.ts';
import { receiveChunk } from './chunk.ts';
import type { UploadedFile } from './complete-file.ts';
import { startSingleUpload } from './single.ts';
import { tooLarge } from './target.ts';
import { openSession } from './uploads.ts';

/** What a form may hold beside its file: text fields and the headers of its parts. */
const FORM_BYTES = 8 * MIB;

/** `POST …/tool/upload/files`: with either of a chunk’s headers it is a chunk, else the whole zip. */
export async function receiveUpload(ctx: Context, caller: Caller, request: FastifyRequest): Promise<Answer<unknown>> {
  const game = caller as GameCaller;
  const { 'x-upload-session-id': sessionId, 'content-range': contentRange } = request.headers;
  ctx.metrics.uploadsUnderWay.inc();
  try {
    if (sessionId === undefined && contentRange === undefined)
      return answer(201, await receiveWhole(ctx, game, request));
    await countUse(ctx.db, ctx.clock, game.gameId, {
      name: 'chunks',
      most: ctx.config.limitChunks,
      windowSeconds: 3600,
    });
    const headers = { sessionId: String(sessionId ?? ''), contentRange: contentRange ?? '' };
    const data = await receiveChunk(ctx, game, headers, (onFile, signal) => readFormOf(ctx, request, onFile, signal));
    return answer('file_uid' in data ? 201 : 202, data);
  } finally {
    ctx.metrics.uploadsUnderWay.dec();
  }
}

async function receiveWhole(ctx: Context, game: GameCaller, request: FastifyRequest): Promise<UploadedFile> {
  await requireVerifiedOwner(ctx, game.gameId);
  // Told before 5 GB were sent in vain. A form that does not say its length is measured as it comes.
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > LIMITS.fileBytes + FORM_BYTES) throw tooLarge();
  const room = await requireRoom(ctx, game.gameId, Math.max(1, announced - FORM_BYTES));
  await countUse(ctx.db, ctx.clock, game.gameId, {
    name: 'uploads',
    most: ctx.config.limitUploads,
    windowSeconds: 3600,
  });
  const upload = startSingleUpload(ctx, game, room);
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
    invalid: 4037,
    idleMs,
    signal,
  });
}

/** `POST …/tool/upload/sessions`, a urlencoded form; JSON of the same fields is read as well. */
export async function openUploadSession(
  ctx: Context,
  caller: Caller,
  request: FastifyRequest,
): Promise<Answer<unknown>> {
  if (typeof request.body !== 'object' || request.body === null) {
    throw new ApiError(4037, 'The form could not be read: send it as application/x-www-form-urlencoded.');
  }
  const texts = Object.entries(request.body).filter(
    ([, value]) => typeof value === 'string' || typeof value === 'number',
  );
  const fields = Object.fromEntries(texts.map(([name, value]) => [name, String(value)]));
  return answer(201, await openSession(ctx, caller as GameCaller, fields));
}
