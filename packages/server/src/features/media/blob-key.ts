// Where the blob of an image lies: `media/<game>/<image>.<format>`.
import type { ImageFormat } from '@chauffeur/contract/image-rules';

export const MEDIA_PREFIX = 'media/';

const EXTENSIONS: Record<ImageFormat, string> = { png: 'png', jpeg: 'jpg', gif: 'gif', webp: 'webp' };

export function blobKeyOf(gameId: string, imageId: string, format: ImageFormat): string {
  return `${MEDIA_PREFIX}${gameId}/${imageId}.${EXTENSIONS[format]}`;
}

/** The image's id in a key of `blobKeyOf`. */
export function imageIdOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1, key.lastIndexOf('.'));
}
