// Detects the format of an image by its first bytes, because a file name can have any extension.
import type { ImageFormat } from './image-rules.ts';

/** Enough bytes to detect any of the formats. */
export const IMAGE_HEAD_BYTES = 12;

/** Null for any format that is not accepted. */
export function detectImageFormat(head: Uint8Array): ImageFormat | null {
  const text = String.fromCharCode(...head.subarray(0, IMAGE_HEAD_BYTES));
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (/^GIF8[79]a/.test(text)) return 'gif';
  return /^RIFF.{4}WEBP/s.test(text) ? 'webp' : null;
}
