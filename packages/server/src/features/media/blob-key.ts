// Where the blobs of an image lie: `media/<game>/<image>.<format>`, and its copies `media/<game>/<image>.<width>.webp`.
import type { ImageFormat } from '@chauffeur/contract/image-rules';

export const MEDIA_PREFIX = 'media/';

const EXTENSIONS: Record<ImageFormat, string> = { png: 'png', jpeg: 'jpg', gif: 'gif', webp: 'webp' };

export function blobKeyOf(gameId: string, imageId: string, format: ImageFormat): string {
  return `${MEDIA_PREFIX}${gameId}/${imageId}.${EXTENSIONS[format]}`;
}

/** Beside the image, which lies under `key`. */
export function copyKeyOf(key: string, width: number): string {
  return `${key.slice(0, key.lastIndexOf('.'))}.${width}.webp`;
}

/** The image's id in a key of `blobKeyOf` or `copyKeyOf`. */
export function imageIdOf(key: string): string {
  const name = key.slice(key.lastIndexOf('/') + 1);
  return name.slice(0, name.indexOf('.'));
}
