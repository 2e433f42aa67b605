// The streaming routes of symbols: the upload, and symbol files for other stackwalkers.
import { timingSafeEqual } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type ApiError, errors } from '@chauffeur/contract/errors';
import type { AddressOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/symbols';
import { identifyModule } from '@chauffeur/minidump/symbols/module-identity';
import { symbolFileName } from '@chauffeur/minidump/symbols/symbol-path';
import type { Context } from '../../context.ts';
import { BlobMissingError } from '../../kernel/blobs/store.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { hashSecret } from '../../kernel/secrets/ids.ts';
import { requireVerifiedOwner } from '../../people/game-access/game-access.ts';
import { acceptsGzip } from '../../request/negotiation.ts';
import { answer } from '../../request/perform.ts';
import { stream } from '../../request/route.ts';
import { requireFreeStorage } from '../../ship/usage/usage.ts';
import { MAX_FORM_BYTES, receiveSymbols, uploadTooLarge } from './receive.ts';
import { recordSymbols } from './record.ts';
import { findReadable } from './symbols.sql.ts';
import { symbolRecordOf } from './symbols.ts';

/**
 * `POST …/tool/upload/symbols`: records all files of the upload or none. Breakpad's sym_upload gets status 200, because
 * it treats every other status as a failure.
 */
export const uploadSymbols = stream(
  contract.uploadSymbols,
  async (ctx, { caller, input: { build_id: buildId }, request }) => {
    const { gameId, keyRef } = caller;
    await requireVerifiedOwner(ctx, gameId);
    if (Number(request.headers['content-length'] ?? 0) > MAX_FORM_BYTES) throw uploadTooLarge();
    const limit = { name: 'symbol uploads', max: ctx.config.limitSymbolUploads, windowSeconds: 3600 } as const;
    const storage = await requireFreeStorage(ctx, gameId);
    await countUse(ctx, ctx.db, gameId, limit);
    ctx.metrics.uploadsInProgress.inc();
    try {
      const { build, texts, natives, mappings, form } = await receiveSymbols(ctx, caller, request, {
        buildId,
        storage,
      });
      const { rows, poorer } = await recordSymbols(ctx, { owner: build, keyRef, texts, natives, mappings });
      ctx.metrics.symbolFiles.inc(texts.length + natives.length + mappings.length);
      for (const { size } of [...texts, ...natives, ...mappings])
        ctx.metrics.uploadedBytes.inc({ way: 'symbols' }, size);
      return answer(form === 'breakpad' ? 200 : 201, {
        build_id: build.build_id,
        count: rows.length,
        symbols: rows.map(symbolRecordOf),
        not_used: poorer,
      });
    } finally {
      ctx.metrics.uploadsInProgress.dec();
    }
  },
);

type Address = AddressOf<typeof contract.readSymbols>;

/**
 * `GET /symbols/{token}/{debug_file}/{debug_id}/{name}`, the path layout of symbol servers. Callers are programs that
 * continue without symbols, so an unknown token, a module without symbols and other kinds of files are all 4040.
 */
export const readSymbols = stream(contract.readSymbols, async (ctx, { input, request, reply }) => {
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
});

async function findText(ctx: Context, { token, debug_file: debugFile, debug_id: debugId, name }: Address) {
  if (name.toLowerCase() !== symbolFileName(debugFile).toLowerCase()) return undefined;
  const hash = hashSecret(token);
  // The id of the path is a debug id, or the code id of a module without one.
  const module = identifyModule({ debugFile, debugId, codeFile: '', codeId: debugId });
  const text = await findReadable(ctx.db, hash, module);
  return text !== undefined && timingSafeEqual(text.token_hash, hash) ? text : undefined;
}

async function readBlob(ctx: Context, key: string): Promise<Readable> {
  try {
    return await ctx.blobs.read(key);
  } catch (cause) {
    // The blob was deleted after its row was read.
    throw cause instanceof BlobMissingError ? noSymbols(cause) : cause;
  }
}

/** If the store fails, the response ends without its last chunk, so the reader detects that it is incomplete. */
function unzipped(stored: Readable): Readable {
  const gunzip = createGunzip();
  pipeline(stored, gunzip).catch(() => undefined);
  return gunzip;
}

function noSymbols(cause?: unknown): ApiError {
  return errors.notFound('These symbols do not exist.', { cause });
}
