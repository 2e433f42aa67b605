// The keys of an image's blobs: `media/<game>/<image>.<format>`, and `media/<game>/<image>.<width>.webp` for its
// copies.
import type { ImageFormat } from '@chauffeur/contract/image-rules';

export const MEDIA_PREFIX = 'media/';

const EXTENSIONS: Record<ImageFormat, string> = { png: 'png', jpeg: 'jpg', gif: 'gif', webp: 'webp' };

export function blobKeyOf(gameId: string, imageId: string, format: ImageFormat): string {
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
