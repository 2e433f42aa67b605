// Downloads: a signed redirect where the blob store can sign, else the bytes with ranges and conditions.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Context } from '../../context.ts';
import { sendBlob } from '../../kernel/blobs/send.ts';
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
