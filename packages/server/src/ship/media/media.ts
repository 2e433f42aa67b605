// Store images of a game: one cover, one thumbnail, and a gallery of screenshots in an order chosen by the developer.

import { type ApiError, errors, isError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/media';
import type { Caller, Context } from '../../context.ts';
import { sweepOrphans } from '../../kernel/blobs/sweep.ts';
import { type Tx, transact } from '../../kernel/database/db.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { isUuid } from '../../kernel/secrets/ids.ts';
import { findGame } from '../../people/game-access/game-access.sql.ts';
import { type Game, requireMember, requireVisible } from '../../people/game-access/game-access.ts';
import type { Reader } from '../../request/read-replica.ts';
import { handle } from '../../request/route.ts';
import * as preview from './encode-image.ts';
import * as media from './media.sql.ts';

export type PreviewResult = preview.PreviewResult;
/** Encodes an image that anyone may have sent, so that it is safe to show. */
export const { encodePreview } = preview;

export type ImageRow = media.ImageRow;
export type ImageKind = ImageRow['kind'];
/** An image with a durable blob but without a row. */
export type StoredImage = Omit<media.NewImage, 'position' | 'kind'>;
export type ImageSet = OutputOf<typeof contract.listGameMedia>;

/** How many screenshots of a game the sitemap lists. */
const SITEMAP_SCREENSHOTS = 5;

type ImageRecord = ImageSet['gallery'][number];

export const listMedia = handle(contract.listMedia, async (ctx, { caller }) => {
  const { cover, thumbnail, gallery } = await publicImages(ctx, caller.gameId);
  const images = [cover, thumbnail, ...gallery].filter((image) => image !== null);
  return { cover: cover?.url ?? null, thumbnail: thumbnail?.url ?? null, gallery, images };
});

/** The images of a game. The caller must have checked that the game is visible. */
export async function publicImages(ctx: Reader, gameId: string): Promise<ImageSet> {
  return imageSetOf(ctx, await media.listImages(ctx.db, gameId));
}

function imageSetOf(ctx: Reader, images: readonly ImageRow[]): ImageSet {
  const records = images.map((image) => recordOf(ctx, image));
  return {
    cover: records.find(({ kind }) => kind === 'cover') ?? null,
    thumbnail: records.find(({ kind }) => kind === 'thumbnail') ?? null,
    gallery: records.filter(({ kind }) => kind === 'screenshot'),
  };
}

/** The file of an image at its full size. */
export type ImageFile = Pick<ImageRow, 'media_id' | 'kind' | 'position' | 'size' | 'uploaded_at'> & {
  readonly key: string;
  /** The end of the file name, such as `.png`. */
  readonly extension: string;
};

/** The files of a game's images, with the gallery in order. The caller must have checked that the game is visible. */
export async function listImageFiles(ctx: Reader, gameId: string): Promise<ImageFile[]> {
  const images = await media.listImages(ctx.db, gameId);
  return images.map(({ blob_key: key, ...image }) => ({ ...image, key, extension: key.slice(key.lastIndexOf('.')) }));
}

/** The URLs of the cover and the first screenshots of these games, which must be public. */
export async function listImageUrls(ctx: Reader, gameIds: readonly string[]): Promise<Map<string, string[]>> {
  const urls = new Map<string, string[]>();
  for (const { game_id, media_id } of await media.listMainImages(ctx.db, gameIds, SITEMAP_SCREENSHOTS))
    urls.set(game_id, [...(urls.get(game_id) ?? []), urlOf(ctx, media_id)]);
  return urls;
}

function urlOf({ publicUrl }: Pick<Reader, 'publicUrl'>, mediaId: string): string {
  return `${publicUrl}/api/v1/public/media/${mediaId}`;
}

function recordOf(ctx: Reader, image: ImageRow): ImageRecord {
  const url = urlOf(ctx, image.media_id);
  return {
    uid: image.media_id,
    kind: image.kind,
    filename: image.filename,
    content_type: image.content_type,
    width: image.width,
    height: image.height,
    size: image.size,
    url,
    position: image.position,
    copies: image.copy_widths.map((width, index) => ({
      width,
      height: Math.round((image.height * width) / image.width),
      size: image.copy_sizes[index]!,
      url: `${url}?width=${width}`,
    })),
    uploaded_at: image.uploaded_at.toISOString(),
  };
}

/**
 * Adds images of one kind, all or none. Screenshots are added to the end of the gallery; a cover or thumbnail replaces
 * the current one. Throws `mediaFull` if the gallery has no room for all of them; the caller then deletes their blobs.
 */
export async function addImages(
  ctx: Context,
  gameId: string,
  kind: ImageKind,
  images: readonly StoredImage[],
): Promise<OutputOf<typeof contract.addMedia>> {
  const { added, replaced, all } = await changeImages(ctx, gameId, async (tx, before) => {
    const ofKind = before.filter((image) => image.kind === kind);
    if (kind === 'screenshot') requireGallerySpace(ofKind.length, images.length);
    const replaced = kind === 'screenshot' ? [] : ofKind;
    for (const image of replaced) await media.deleteImage(tx, image);
    const start = ofKind.length - replaced.length;
    const added: ImageRow[] = [];
    for (const [index, image] of images.entries())
      added.push(await media.insertImage(tx, { ...image, kind, position: start + index }));
    return { added, replaced, all: await media.listImages(tx, gameId) };
  });
  await dropImageBlobs(ctx, replaced);
  return { added: added.map((image) => recordOf(ctx, image)), ...imageSetOf(ctx, all) };
}

function requireGallerySpace(present: number, more: number): void {
  const max = LIMITS.galleryImages;
  if (present + more <= max) return;
  throw errors.mediaFull(
    `The gallery has ${present} of at most ${max} images and no room for ${more} more. Delete some first.`,
  );
}

/** Deletes an image by its uid, or the cover or thumbnail by its kind. Throws `notFound` and `imageNeeded`. */
export const deleteMedia = handle(contract.deleteMedia, async (ctx, { caller, input }) => {
  return deleteImage(ctx, caller.gameId, input.uid);
});

async function deleteImage(ctx: Context, gameId: string, uid: string): Promise<ImageSet> {
  const { image, remaining } = await changeImages(ctx, gameId, async (tx, images) => {
    const ref = uid.toLowerCase();
    const image = images.find(({ media_id, kind }) => media_id === ref || (kind !== 'screenshot' && kind === ref));
    if (image === undefined) throw unknownImage();
    if (image.kind !== 'screenshot') await requireUnlisted(tx, gameId, image.kind);
    await media.deleteImage(tx, image);
    return { image, remaining: await media.listImages(tx, gameId) };
  });
  await dropImageBlobs(ctx, [image]);
  return imageSetOf(ctx, remaining);
}

/** The cover and thumbnail of a public game can be replaced but not deleted. */
async function requireUnlisted(tx: Tx, gameId: string, kind: ImageKind): Promise<void> {
  const game = await findGame(tx, gameId);
  if (game?.visibility !== 'public') return;
  throw errors.imageNeeded(`A public game needs its ${kind}. Upload a replacement, or make the game invisible first.`);
}

/** Sorts the gallery. Throws `wrongOrder` unless the order names each of its images exactly once. */
export const orderMedia = handle(contract.orderMedia, (ctx, { caller, input }) => {
  return orderGallery(ctx, caller.gameId, input.order);
});

function orderGallery(ctx: Context, gameId: string, uids: readonly string[]): Promise<ImageSet> {
  const order = uids.map((uid) => uid.toLowerCase());
  return changeImages(ctx, gameId, async (tx, images) => {
    const gallery = images.filter(({ kind }) => kind === 'screenshot').map(({ media_id }) => media_id);
    if (order.length !== gallery.length || new Set(order).symmetricDifference(new Set(gallery)).size > 0) {
      throw errors.wrongOrder(
        `order: must name each of the ${gallery.length} images in the gallery exactly once. List the images and send all their uids.`,
      );
    }
    await media.updateImageOrder(tx, gameId, order);
    return imageSetOf(ctx, await media.listImages(tx, gameId));
  });
}

export const listGameMedia = handle(contract.listGameMedia, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return publicImages(ctx, game.game_id);
});

export const deleteGameMedia = handle(contract.deleteGameMedia, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return deleteImage(ctx, game.game_id, input.image);
});

export const orderGameMedia = handle(contract.orderGameMedia, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return orderGallery(ctx, game.game_id, input.order);
});

/** Runs `work` on the current images of the game while other changes are blocked. */
function changeImages<T>(ctx: Context, gameId: string, work: (tx: Tx, images: ImageRow[]) => Promise<T>): Promise<T> {
  return transact(ctx.db, async (tx) => {
    await media.lockImages(tx, gameId);
    return work(tx, await media.listImages(tx, gameId));
  });
}

/** Returns an image of a game that the caller may see. Throws `notFound`. */
export async function requireVisibleImage(
  ctx: Context,
  caller: Caller,
  mediaId: string,
): Promise<{ image: ImageRow; game: Game }> {
  const image = isUuid(mediaId) ? await media.findImage(ctx.db, mediaId) : undefined;
  if (image === undefined) throw unknownImage();
  const game = await findGame(ctx.db, image.game_id);
  if (game === null) throw unknownImage();
  await requireVisible(ctx, game, caller).catch((error: unknown) => {
    throw isError(error, 'notFound') ? unknownImage(error) : error;
  });
  return { image, game };
}

export function unknownImage(cause?: unknown): ApiError {
  return errors.notFound("uid: this image does not exist, or you don't have access to it.", { cause });
}

/** Deletes the blobs of images without a row. If this fails, the sweep deletes them later. */
export async function dropImageBlobs(ctx: Context, images: readonly StoredImage[]): Promise<void> {
  const keys = images.flatMap(({ blob_key: key, copy_widths: widths }) => [
    key,
    ...widths.map((width) => media.copyKeyOf(key, width)),
  ]);
  for (const key of keys) {
    await ctx.blobs.delete(key).catch((err) => ctx.log.warn({ err, key }, 'the blob of an image could not be deleted'));
  }
}

export const sweepMediaJob = defineJob(
  'media:sweep',
  { attempts: 3, cron: '29 * * * *', lane: 'long', deletesOld: true },
  sweepMedia,
);

/**
 * Deletes the blobs below `media/` that have no row and are older than a day: leftovers of interrupted uploads and of
 * deleted images.
 */
export function sweepMedia(ctx: Context): Promise<void> {
  return sweepOrphans(ctx, media.MEDIA_PREFIX, async (keys) => {
    const referenced = await media.existingImages(ctx.db, keys.map(media.imageIdOf));
    return new Set(keys.filter((key) => referenced.has(media.imageIdOf(key))));
  });
}
