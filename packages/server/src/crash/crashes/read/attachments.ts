// Reads the attachments of a report for its page: the end of a text, and encoded images.
import { buffer } from 'node:stream/consumers';
import { LIMITS } from '@chauffeur/contract/limits';
import * as contract from '@chauffeur/contract/operations/crash-files';
import type { AccountCaller, Context } from '../../../context.ts';
import { readUnpacked } from '../../../kernel/blobs/packed.ts';
import { BlobMissingError } from '../../../kernel/blobs/store.ts';
import { handle, stream } from '../../../request/route.ts';
import { sendBlob } from '../../../request/send-blob.ts';
import type { Attachment } from '../report/files.ts';
import { readLogTail, tailStartOf } from '../report/log-text.ts';
import { etagOf } from './downloads.ts';
import { noSuchFile } from './not-found.ts';
import { requireFiles } from './stacks.ts';

type AttachmentRef = { uid: string; crash_id: string; attachment: string };

export const getCrashAttachment = handle(contract.getCrashAttachment, async (ctx, { caller, input }) => {
  const { kind, key, size } = await requireAttachment(ctx, caller, input);
  if (kind !== 'text' || key === null) throw noSuchFile('attachment');
  const start = tailStartOf(size, LIMITS.crashLogShownBytes);
  // Stores reject an empty range.
  const bytes =
    size === 0
      ? Buffer.alloc(0)
      : await buffer(
          await readUnpacked(ctx.blobs, key, { start, end: size - 1 }).catch((error) => {
            throw error instanceof BlobMissingError ? noSuchFile('attachment', error) : error;
          }),
        );
  return { text: readLogTail(bytes, start > 0), size, is_cut: start > 0 };
});

/** Sends the image as the server encoded it, never as it arrived. */
export const getCrashAttachmentImage = stream(
  contract.getCrashAttachmentImage,
  async (ctx, { caller, input, request, reply }) => {
    const { image, name } = await requireAttachment(ctx, caller, input);
    if (image === undefined) throw noSuchFile('attachment');
    reply.header('cache-control', 'private, max-age=3600');
    reply.header('content-security-policy', "default-src 'none'; sandbox");
    const blob = {
      key: image.key,
      size: image.size,
      etag: etagOf(image.key),
      filename: `${name}.webp`,
      contentType: 'image/webp',
      signedSeconds: null,
    };
    try {
      return await sendBlob(ctx.blobs, request, reply, blob);
    } catch (error) {
      if (!(error instanceof BlobMissingError)) throw error;
      for (const name of ['etag', 'content-disposition', 'content-length', 'cache-control']) reply.removeHeader(name);
      throw noSuchFile('attachment', error);
    }
  },
);

async function requireAttachment(ctx: Context, caller: AccountCaller, input: AttachmentRef): Promise<Attachment> {
  const { attachments } = await requireFiles(ctx, caller, input);
  const attachment = attachments[Number(input.attachment)];
  if (attachment === undefined) throw noSuchFile('attachment');
  return attachment;
}
