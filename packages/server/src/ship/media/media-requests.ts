// The streaming routes of store images: the form that adds images, and the image files.

import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, CODES, errors } from '@chauffeur/contract/errors';
import { MAX_IMAGE_BYTES } from '@chauffeur/contract/image-rules';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/media';
import { MediaKindInput } from '@chauffeur/contract/operations/media';
import { findProblem } from '@chauffeur/contract/validate';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Context } from '../../context.ts';
import { bytesOf } from '../../kernel/blobs/byte-source.ts';
import { BlobMissingError, type ByteSource } from '../../kernel/blobs/store.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { PRIVATE_FILE, withWorkFolder } from '../../kernel/private-files.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { requireMember, requireVerifiedOwner } from '../../people/game-access/game-access.ts';
import { type Fields, readForm } from '../../request/form.ts';
import { type Answer, answer } from '../../request/perform.ts';
import { stream } from '../../request/route.ts';
import { sendBlob } from '../../request/send-blob.ts';
import { findFilenameProblem } from '../../request/text-rules.ts';
import { type EncodedImage, encodeImage } from './encode-image.ts';
import { copyKeyOf, imageBlobKey } from './media.sql.ts';
import {
  addImages,
  dropImageBlobs,
  type ImageKind,
  type ImageRow,
  requireVisibleImage,
  type StoredImage,
  unknownImage,
} from './media.ts';

type Added = OutputOf<typeof contract.addMedia>;

/** `POST …/tool/media`: all images of the form, or none. */
export const addMedia = stream(contract.addMedia, (ctx, { caller, request }) => {
  return receiveMedia(ctx, caller.gameId, request);
});

/** `POST …/games/{uid}/media`: adds images on the website. */
export const addGameMedia = stream(contract.addGameMedia, async (ctx, { caller, input, request }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return receiveMedia(ctx, game.game_id, request);
});

async function receiveMedia(ctx: Context, gameId: string, request: FastifyRequest): Promise<Answer<Added>> {
  await requireVerifiedOwner(ctx, gameId);
  const limit = { name: 'media uploads', max: ctx.config.limitMedia, windowSeconds: 3600 } as const;
  await countUse(ctx, ctx.db, gameId, limit);
  return withWorkFolder(ctx.config.dataFolder, async (folder) => {
    const form = await receiveImages(ctx, request, folder);
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
    // After any other error, the rows may exist, so the sweep deletes the blobs if they don't.
    if (error instanceof ApiError) await dropImageBlobs(ctx, images);
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
  const key = imageBlobKey(gameId, id, format);
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
 * always served from here, because signed URLs of a blob store differ each time and defeat caching.
 */
export const downloadMedia = stream(
  contract.downloadMedia,
  async (ctx, { caller, input: { uid, width }, request, reply }) => {
    const { image, game } = await requireVisibleImage(ctx, caller, uid);
    const isDraft = game.visibility === 'draft';
    reply.header('cache-control', isDraft ? 'private, no-cache' : 'public, max-age=31536000, immutable');
    if (isDraft) reply.header('vary', 'Authorization, Cookie, X-Access-Token');
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

export type ReceivedFile = { filename: string; path: string };
export type ReceivedForm = { kind: ImageKind; files: ReceivedFile[] };

const Form = Type.Object({ kind: MediaKindInput });

/**
 * Throws `invalidMedia` for an invalid form, and `imageRefused` with the index of the file at the first byte over the
 * size limit.
 */
export async function receiveImages(ctx: Context, request: FastifyRequest, folder: string): Promise<ReceivedForm> {
  const files: ReceivedFile[] = [];
  const fields = await readForm(ctx, request, {
    maxBytes: LIMITS.imagesPerRequest * MAX_IMAGE_BYTES + MIB,
    maxFiles: LIMITS.imagesPerRequest,
    invalid: CODES.invalidMedia,
    async onFile({ filename, bytes }) {
      const problem = findFilenameProblem(filename);
      if (problem !== null) throw errors.invalidMedia(problem);
      const index = files.length;
      const path = join(folder, String(index));
      files.push({ filename, path });
      await writeFile(
        path,
        limited(bytes, () => tooLarge(filename, index)),
        { mode: PRIVATE_FILE },
      );
    },
  });
  const kind = readKind(fields);
  if (kind !== 'screenshot' && files.length > 1)
    throw errors.invalidMedia(`file: a game has one ${kind}. Send exactly one file part.`);
  return { kind, files };
}

function readKind(fields: Fields): ImageKind {
  const problem = findProblem(Form, { ...fields });
  if (problem !== null) throw errors.invalidMedia(problem);
  return fields.kind === 'gallery' ? 'screenshot' : (fields.kind as ImageKind);
}

async function* limited(source: ByteSource, tooLarge: () => Error): ByteSource {
  let size = 0;
  for await (const bytes of source) {
    size += bytes.length;
    if (size > MAX_IMAGE_BYTES) throw tooLarge();
    yield bytes;
  }
}

function tooLarge(filename: string, index: number): ApiError {
  return errors.imageRefused(`${filename}: larger than ${MAX_IMAGE_BYTES / MIB} MB. Make it smaller.`, {
    data: { index },
  });
}
