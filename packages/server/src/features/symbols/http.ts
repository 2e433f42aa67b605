// The streaming routes of symbols: the upload, and the text of a symbol file for other stackwalkers.
import { timingSafeEqual } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { ApiError } from '@chauffeur/contract/errors';
import { symbolFileName } from '@chauffeur/minidump/symbols/symbol-path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Context, GameCaller } from '../../context.ts';
import { acceptsGzip } from '../../kernel/accept-encoding.ts';
import { type Answer, answer } from '../../kernel/answer.ts';
import { BlobMissingError } from '../../kernel/blobs/store.ts';
import { countUse } from '../../kernel/rate-limit.ts';
import { requireVerifiedOwner } from '../games/games.ts';
import { requireRoom } from '../usage/usage.ts';
import { findReadable } from './lookup.sql.ts';
import { canonicalDebugId } from './module-facts.ts';
import { MAX_FORM_BYTES, receiveSymbols, tooLarge } from './receive.ts';
import { recordSymbols } from './record.ts';
import { hashOfToken, recordOf } from './symbols.ts';

/**
 * `POST …/tool/upload/symbols`: all files of the upload, or none. Breakpad’s sym_upload is answered 200, since every other status is a failure
 * to it.
 */
export async function uploadSymbols(
  ctx: Context,
  caller: Caller,
  request: FastifyRequest,
  _reply: FastifyReply,
  { build_id: buildId }: { build_id?: string },
): Promise<Answer<unknown>> {
  const game = caller as GameCaller;
  const { gameId, keyRef } = game;
  await requireVerifiedOwner(ctx, gameId);
  if (Number(request.headers['content-length'] ?? 0) > MAX_FORM_BYTES) throw tooLarge();
  const limit = { name: 'symbol uploads', most: ctx.config.limitSymbolUploads, windowSeconds: 3600 } as const;
  const room = await requireRoom(ctx, gameId);
  await countUse(ctx.db, ctx.clock, gameId, limit);
  ctx.metrics.uploadsUnderWay.inc();
  try {
    const { build, texts, form } = await receiveSymbols(ctx, game, request, { buildId, room });
    const recorded = await recordSymbols(ctx, { build, keyRef, texts });
    for (const { size } of texts) ctx.metrics.uploadedBytes.inc({ way: 'symbols' }, size);
    return answer(form === 'breakpad' ? 200 : 201, {
      build_id: build.build_id,
      count: recorded.length,
      symbols: recorded.map(recordOf),
    });
  } finally {
    ctx.metrics.uploadsUnderWay.dec();
  }
}

type Address = { token: string; debug_file: string; debug_id: string; name: string };

/**
 * `GET /symbols/{token}/{debug_file}/{debug_id}/{name}`, as symbol servers lay their files out. Who asks is a program that goes on
 * without: an unknown token, a module without symbols and another kind of file are all 4040.
 */
export async function readSymbols(
  ctx: Context,
  _caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
  input: Address,
): Promise<FastifyReply> {
  const text = await findText(ctx, input);
  if (text === undefined) throw noSymbols();
  const gzipped = acceptsGzip(request.headers['accept-encoding']);
  const etag = `"${text.checksum}${gzipped ? '-gzip' : ''}"`;
  const validators = { etag, vary: 'Accept-Encoding', 'cache-control': 'private, no-cache' };
  if (request.headers['if-none-match'] === etag) return reply.code(304).headers(validators).send();
  const stored = request.method === 'HEAD' ? null : await readBlob(ctx, text.blob_key);
  reply.headers(validators).header('content-type', 'text/plain; charset=utf-8');
  if (gzipped) reply.header('content-encoding', 'gzip');
  if (stored === null) return reply.send();
  return reply.send(gzipped ? stored : unzipped(stored));
}

async function findText(ctx: Context, { token, debug_file: debugFile, debug_id: debugId, name }: Address) {
  if (name.toLowerCase() !== symbolFileName(debugFile).toLowerCase()) return undefined;
  const hash = hashOfToken(token);
  const found = await findReadable(ctx.db, hash, { debugFile, debugId: canonicalDebugId(debugId) });
  return found !== undefined && timingSafeEqual(found.token_hash, hash) ? found : undefined;
}

async function readBlob(ctx: Context, key: string): Promise<Readable> {
  try {
    return await ctx.blobs.read(key);
  } catch (cause) {
    // Deleted since its row was read.
    throw cause instanceof BlobMissingError ? noSymbols(cause) : cause;
  }
}

/** A store that breaks off ends the answer without its last chunk, so that the reader sees that it is not whole. */
function unzipped(stored: Readable): Readable {
  const gunzip = createGunzip();
  pipeline(stored, gunzip).catch(() => undefined);
  return gunzip;
}

function noSymbols(cause?: unknown): ApiError {
  return new ApiError(4040, 'There are no such symbols.', { cause });
}
