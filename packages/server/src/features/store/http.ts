// Downloads: a signed redirect where the blob store can sign, else the bytes with ranges and conditions. And shelves, which readers keep.
import type { InputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/shelves';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Context } from '../../context.ts';
import { type Answer, answer } from '../../kernel/answer.ts';
import { matches, sendBlob } from '../../kernel/blobs/send.ts';
import { KEPT_SECONDS, readShelf } from './shelves.ts';
import { type FileInput, requireDownloadable } from './store.ts';

const SIGNED_SECONDS = 3600;

/** `GET …/files/{file_uid}/download`. */
export async function downloadFile(
  ctx: Context,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
  input: FileInput,
): Promise<FastifyReply> {
  const { game, file } = await requireDownloadable(ctx, caller, input);
  const blob = {
    key: file.blob_key,
    size: file.size,
    etag: `"${file.checksum}"`,
    filename: file.filename,
    contentType: 'application/zip',
  };
  // What only members may see must not lie in a shared cache; a signed address is good for a while only.
  reply.header('cache-control', game.visibility === 'public' ? 'no-cache' : 'private, no-cache');
  reply.header('vary', 'Cookie, X-Access-Token');
  return sendBlob(ctx.blobs, request, reply, { ...blob, signedSeconds: SIGNED_SECONDS });
}

/** `GET …/public/shelves/{shelf}`: the same for everybody, so caches in between may keep it too. */
export async function getShelf(
  ctx: Context,
  _caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
  input: InputOf<typeof contract.getShelf>,
): Promise<Answer<unknown> | FastifyReply> {
  const { shelf, etag } = await readShelf(ctx, input);
  reply.header('etag', etag).header('cache-control', `public, max-age=${KEPT_SECONDS}`);
  return matches(request.headers['if-none-match'], etag) ? reply.code(304).send() : answer(200, shelf);
}
