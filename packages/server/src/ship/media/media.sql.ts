// The SQL of store images, and the keys of their blobs.

import type { ImageFormat } from '@chauffeur/contract/image-rules';
import type { MediaKind } from '@chauffeur/contract/operations/media';
import { sql } from 'kysely';
import type { Static } from 'typebox';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';

export type ImageRow = {
  game_id: string;
  media_id: string;
  kind: Static<typeof MediaKind>;
  /** The position in the gallery, from 0 without gaps; 0 for a cover or thumbnail. */
  position: number;
  filename: string;
  content_type: string;
  width: number;
  height: number;
  size: number;
  blob_key: string;
  /** The widths of its copies in pixels, ascending, and their sizes in bytes in the same order. */
  copy_widths: number[];
  copy_sizes: number[];
  uploaded_at: Date;
};

export type NewImage = Omit<ImageRow, 'uploaded_at'>;

const columns = sql.raw(
  'game_id, media_id, kind, position, filename, content_type, width, height, size, blob_key, copy_widths, copy_sizes, uploaded_at',
);

/** Selects the blobs that rows refer to: each image and its copies, with the keys of `copyKeyOf`. */
export const imageBlobs = sql`select blob_key as key, size, null::text as sha256, null::text as packing from media
  union all select regexp_replace(blob_key, '[^.]*$', '') || copy.width || '.webp', copy.size, null, null
    from media, unnest(copy_widths, copy_sizes) as copy (width, size)`;

/** Serializes changes to the images of one game, so that the gallery keeps its limit and order. */
export async function lockImages(tx: Tx, gameId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`media/${gameId}`}, 0))`);
}

/** All images of a game, with the gallery in order. */
export function listImages(db: Db, gameId: string): Promise<ImageRow[]> {
  return rows(db, sql<ImageRow>`select ${columns} from media where game_id = ${gameId} order by kind, position`);
}

/** The cover and the first screenshots of each of these games. */
export function listMainImages(
  db: Db,
  gameIds: readonly string[],
  screenshots: number,
): Promise<Pick<ImageRow, 'game_id' | 'media_id'>[]> {
  return rows(
    db,
    sql<Pick<ImageRow, 'game_id' | 'media_id'>>`select game_id, media_id from media
      where game_id = any(${gameIds}::uuid[]) and (kind = 'cover' or (kind = 'screenshot' and position < ${screenshots}))
      order by game_id, kind, position`,
  );
}

export function findImage(db: Db, mediaId: string): Promise<ImageRow | undefined> {
  return row(db, sql<ImageRow>`select ${columns} from media where media_id = ${mediaId}`);
}

export function insertImage(tx: Tx, image: NewImage): Promise<ImageRow> {
  return onlyRow(
    tx,
    sql<ImageRow>`insert into media
        (game_id, media_id, kind, position, filename, content_type, width, height, size, blob_key, copy_widths, copy_sizes)
      values (${image.game_id}, ${image.media_id}, ${image.kind}, ${image.position}, ${image.filename}, ${image.content_type},
        ${image.width}, ${image.height}, ${image.size}, ${image.blob_key}, ${image.copy_widths}, ${image.copy_sizes})
      returning ${columns}`,
  );
}

/** Deletes an image; later images of the gallery move up. */
export async function deleteImage(tx: Tx, image: ImageRow): Promise<void> {
  const { game_id, media_id, kind, position } = image;
  await changed(tx, sql`delete from media where game_id = ${game_id} and media_id = ${media_id}`);
  await changed(
    tx,
    sql`update media set position = position - 1
      where game_id = ${game_id} and kind = ${kind} and position > ${position}`,
  );
}

/** Sorts the gallery in the order of `mediaIds`. */
export async function updateImageOrder(tx: Tx, gameId: string, mediaIds: readonly string[]): Promise<void> {
  await changed(
    tx,
    sql`update media set position = rank - 1
      from unnest(${mediaIds}::uuid[]) with ordinality as requested (requested_id, rank)
      where game_id = ${gameId} and media_id = requested_id and kind = 'screenshot'`,
  );
}

/** Returns the image ids that have a row. */
export async function existingImages(db: Db, mediaIds: readonly string[]): Promise<Set<string>> {
  const existing = await rows(
    db,
    sql<{ media_id: string }>`select media_id from media where media_id = any(${mediaIds}::uuid[])`,
  );
  return new Set(existing.map(({ media_id }) => media_id));
}

export const MEDIA_PREFIX = 'media/';

const EXTENSIONS: Record<ImageFormat, string> = { png: 'png', jpeg: 'jpg', gif: 'gif', webp: 'webp' };

export function imageBlobKey(gameId: string, imageId: string, format: ImageFormat): string {
  return `${MEDIA_PREFIX}${gameId}/${imageId}.${EXTENSIONS[format]}`;
}

/** The key of a copy of the image under `key`. */
export function copyKeyOf(key: string, width: number): string {
  return `${key.slice(0, key.lastIndexOf('.'))}.${width}.webp`;
}

/** The image id in a key from `blobKeyOf` or `copyKeyOf`. */
export function imageIdOf(key: string): string {
  const name = key.slice(key.lastIndexOf('/') + 1);
  return name.slice(0, name.indexOf('.'));
}
