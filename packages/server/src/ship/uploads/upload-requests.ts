// The streaming routes of uploads: forms with a complete file or a chunk, and the form that opens a session.

import { CODES, errors } from '@chauffeur/contract/errors';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { UploadedFile } from '@chauffeur/contract/operations/uploads';
import * as contract from '@chauffeur/contract/operations/uploads';
import type { FastifyRequest } from 'fastify';
import type { Context, GameCaller } from '../../context.ts';
import type { BlobUpload } from '../../kernel/blobs/store.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { requireVerifiedOwner } from '../../people/game-access/game-access.ts';
import { requireOwnProgram } from '../../people/games/games.ts';
import { type Fields, readForm } from '../../request/form.ts';
import type { FilePart } from '../../request/multipart.ts';
import { answer } from '../../request/perform.ts';
import { createReceiver, storeBytes } from '../../request/receive-bytes.ts';
import { stream } from '../../request/route.ts';
import { requireBuild } from '../builds/builds.ts';
import { zipKeyOf } from '../files/blob-keys.ts';
import { originOf } from '../files/files.ts';
import { enforceQuota, type FreeStorage, requireFreeStorage } from '../usage/usage.ts';
import { receiveChunk } from './chunk.ts';
import { completeFile } from './complete-file.ts';
import { hasTargetFields, readFilename, readTarget, requireSameTarget, zipTooLarge } from './upload-target.ts';
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
  // An upload that is too large is refused before its bytes are sent. A form without a length is measured as it
  // arrives.
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > LIMITS.fileBytes + FORM_BYTES) throw zipTooLarge();
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
  const maxBytes = LIMITS.fileBytes + FORM_BYTES;
  return readForm(ctx, request, { onFile, maxBytes, invalid: CODES.unreadableForm, signal });
}

/** `POST …/tool/upload/sessions`: a urlencoded form, or JSON with the same fields. */
export const openUploadSession = stream(contract.openUploadSession, async (ctx, { caller, request }) => {
  if (typeof request.body !== 'object' || request.body === null) {
    throw errors.unreadableForm('The form could not be read. Send it as application/x-www-form-urlencoded.');
  }
  const given = Object.entries(request.body).filter(([, value]) => value !== null);
  // A value of another type is invalid as a text, too.
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  const fields = Object.fromEntries(given.map(([name, value]) => [name, textOf(value)]));
  return answer(201, await openSession(ctx, caller, fields));
});

export type SingleUpload = {
  /** Stores the file part. Invalid fields before the file are refused before its first byte is stored. */
  store(part: FilePart, fieldsSoFar: Fields): Promise<void>;
  /** Records the file after the complete form has arrived. */
  finish(fields: Fields): Promise<UploadedFile>;
  /** Deletes the stored bytes. */
  discard(): Promise<void>;
};

export function startSingleUpload(ctx: Context, caller: GameCaller, storage: FreeStorage): SingleUpload {
  const fileId = newId();
  const key = zipKeyOf(caller.gameId, fileId);
  const receiver = createReceiver({
    maxBytes: Math.min(LIMITS.fileBytes, storage.bytes),
    tooLarge: storage.bytes < LIMITS.fileBytes ? storage.exceeded : zipTooLarge,
  });
  let upload: BlobUpload | undefined;
  let filename = '';

  async function resolve(fields: Fields) {
    const target = readTarget(fields);
    await requireOwnProgram(ctx, caller.gameId, fields, CODES.unknownBuildOfFile);
    const build = await requireBuild(ctx.db, caller.gameId, target.build);
    requireSameTarget(target, build);
    return { target, build };
  }

  return {
    async store(part, fieldsSoFar) {
      filename = readFilename(part.filename);
      if (hasTargetFields(fieldsSoFar)) await resolve(fieldsSoFar);
      upload = await storeBytes(ctx.blobs, await ctx.blobs.begin(key), receiver, part.bytes);
      ctx.metrics.uploadedBytes.inc({ way: 'single' }, upload.size);
    },
    async finish(fields) {
      const { target, build } = await resolve(fields);
      const digest = receiver.hash?.digest('hex') ?? null;
      const arrival = {
        build,
        fileId,
        filename,
        checksum: target.checksum,
        origin: originOf(caller),
        upload: upload!,
        digest,
      };
      return completeFile(ctx, arrival, { after: (tx) => enforceQuota(ctx, tx, caller.gameId) });
    },
    discard: () => ctx.blobs.delete(key),
  };
}
