// The streaming routes of the store: downloads, as a signed redirect if the blob store supports it, and cacheable
// shelves.
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as shelvesContract from '@chauffeur/contract/operations/shelves';
import type * as contract from '@chauffeur/contract/operations/store';
import type { FastifyReply } from 'fastify';
import type { Context } from '../../context.ts';
import { type Answer, answer } from '../../request/answer.ts';
import type { StreamCall } from '../../request/call.ts';
import { matches, sendBlob } from '../../request/send-blob.ts';
import { CACHE_SECONDS, readShelf } from './shelves.ts';
import { requireDownloadable } from './store.ts';

const SIGNED_SECONDS = 3600;

/** `GET …/files/{file_uid}/download`. */
export async function downloadFile(
  ctx: Context,
  { caller, input, request, reply }: StreamCall<typeof contract.downloadFile>,
): Promise<FastifyReply> {
  const { game, file } = await requireDownloadable(ctx, caller, input);
  const blob = {
    key: file.blob_key,
    size: file.size,
    etag: `"${file.checksum}"`,
    filename: file.filename,
    contentType: 'application/zip',
  };
  // Files of drafts must not be stored in shared caches, and signed URLs expire.
  reply.header('cache-control', game.visibility === 'public' ? 'no-cache' : 'private, no-cache');
  reply.header('vary', 'Cookie, X-Access-Token');
  return sendBlob(ctx.blobs, request, reply, { ...blob, signedSeconds: SIGNED_SECONDS });
}

/** `GET …/public/shelves/{shelf}`: the same for everyone, so shared caches may store it. */
export async function getShelf(
  ctx: Context,
  { input, request, reply }: StreamCall<typeof shelvesContract.getShelf>,
): Promise<Answer<OutputOf<typeof shelvesContract.getShelf>> | FastifyReply> {
  const { shelf, etag } = await readShelf(ctx, input);
  reply.header('etag', etag).header('cache-control', `public, max-age=${CACHE_SECONDS}`);
  return matches(request.headers['if-none-match'], etag) ? reply.code(304).send() : answer(200, shelf);
}
