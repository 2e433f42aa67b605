// The streaming routes of store images: the form that adds images, and the image files.
import { createReadStream } from 'node:fs';
import { ApiError, errors } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/media';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { bytesOf } from '../../kernel/blobs/byte-source.ts';
import { BlobMissingError } from '../../kernel/blobs/store.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { withWorkFolder } from '../../kernel/private-files.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { requireMember, requireVerifiedOwner } from '../../people/games/games.ts';
import { type Answer, answer } from '../../request/perform.ts';
import { stream } from '../../request/route.ts';
import { sendBlob } from '../../request/send-blob.ts';
import { blobKeyOf, copyKeyOf } from './blob-key.ts';
import { type EncodedImage, encodeImage } from './image.ts';
import {
  addImages,
  dropBlobs,
  type ImageKind,
  type ImageRow,
  requireVisibleImage,
  type StoredImage,
  unknownImage,
} from './media.ts';
import { type ReceivedFile, type ReceivedForm, receiveImages } from './receive.ts';

type Added = OutputOf<typeof contract.addMedia>;

/** `POST …/tool/media`: all images of the form, or none. */
export const addMedia = stream(contract.addMedia, (ctx, { caller, request }) => {
  return receiveMedia(ctx, caller.gameId, request);
});

/** `POST …/games/{uid}/media`: the same for the website. */
export const addGameMedia = stream(contract.addGameMedia, async (ctx, { caller, input, request }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return receiveMedia(ctx, game.game_id, request);
});

async function receiveMedia(ctx: Context, gameId: string, request: FastifyRequest): Promise<Answer<Added>> {
  await requireVerifiedOwner(ctx, gameId);
  const limit = { name: 'media uploads', max: ctx.config.limitMedia, windowSeconds: 3600 } as const;
  await countUse(ctx, ctx.db, gameId, limit);
  return withWorkFolder(ctx.config.dataFolder, async (folder) => {
    const form = await receiveImages(request, folder, ctx.config.uploadIdleSeconds * 1000);
    return answer(201, await storeForm(ctx, gameId, form));
  });
}

async function storeForm(ctx: Context, gameId: string, { kind, files }: ReceivedForm) {
  const encoded: EncodedFile[] = [];
  for (const [index, file] of files.entries()) encoded.push(await encodeFile(file, kind, index));
  const images: StoredImage[] = [];
  for (const file of encoded) images.push(await storeFile(ctx, gameId, file));
  try {
    const added = await addImages(ctx, gameId, kind, images);
    for (const { size } of images) ctx.metrics.uploadedBytes.inc({ way: 'image' }, size);
    return added;
  } catch (error) {
    // After any other error, the rows may exist, so the blobs are left to the sweep.
    if (error instanceof ApiError) await dropBlobs(ctx, images);
    throw error;
  }
}

type EncodedFile = EncodedImage & ReceivedFile;

async function encodeFile(file: ReceivedFile, kind: ImageKind, index: number): Promise<EncodedFile> {
  const { filename, path: source } = file;
  const path = `${source}.encoded`;
  const result = await encodeImage({ source, target: path, kind });
  if ('refused' in result) throw errors.imageRefused(`${filename}: ${result.refused}`, { data: { index } });
  return { ...result, filename, path };
}

async function storeFile(ctx: Context, gameId: string, file: EncodedFile): Promise<StoredImage> {
  const { filename, format, width, height, size, copies } = file;
  const id = newId();
  const key = blobKeyOf(gameId, id, format);
  await ctx.blobs.put(
    key,
    bytesOf(() => createReadStream(file.path)),
  );
  for (const copy of copies)
    await ctx.blobs.put(
      copyKeyOf(key, copy.width),
      bytesOf(() => createReadStream(copy.path)),
    );
  const served = {
    content_type: `image/${format}`,
    width,
    height,
    size,
    blob_key: key,
    copy_widths: copies.map((copy) => copy.width),
    copy_sizes: copies.map((copy) => copy.size),
  };
  return { game_id: gameId, media_id: id, filename, ...served };
}

/**
 * `GET …/public/media/{uid}`. The bytes under a uid never change, so they are cached, except those of drafts. They are
 * always served from here, because signed URLs of a store differ each time and defeat caching.
 */
export const downloadMedia = stream(
  contract.downloadMedia,
  async (ctx, { caller, input: { uid, width }, request, reply }) => {
    const { image, game } = await requireVisibleImage(ctx, caller, uid);
    const isDraft = game.visibility === 'draft';
    reply.header('cache-control', isDraft ? 'private, no-cache' : 'public, max-age=31536000, immutable');
    if (isDraft) reply.header('vary', 'Cookie, X-Access-Token');
    reply.header('content-security-policy', "default-src 'none'; sandbox");
    try {
      return await sendBlob(ctx.blobs, request, reply, {
        ...(width === undefined ? blobOf(image) : copyOf(image, width)),
        filename: image.filename,
        signedSeconds: null,
      });
    } catch (cause) {
      // The image was deleted or replaced after its row was read.
      throw cause instanceof BlobMissingError ? unknownImage(cause) : cause;
    }
  },
);

function blobOf({ blob_key: key, size, media_id: id, content_type: contentType }: ImageRow) {
  return { key, size, etag: `"${id}"`, contentType };
}

/** Throws `notFound` if the image has no copy of this width. */
function copyOf({ blob_key: key, media_id: id, copy_widths: widths, copy_sizes: sizes }: ImageRow, width: number) {
  const size = sizes[widths.indexOf(width)];
  if (size === undefined)
    throw errors.notFound('width: the image has no copy of this width. Use one of the listed widths.');
  return { key: copyKeyOf(key, width), size, etag: `"${id}-${width}"`, contentType: 'image/webp' };
}
