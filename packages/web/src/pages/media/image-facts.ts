// Detects the format of an image file from its first bytes, and reorders images.
import type { ImageFormat } from '@chauffeur/contract/image-rules';

/** Enough bytes to detect any of the formats. */
export const HEAD_BYTES = 12;

/** Null if it is not one of the accepted formats. */
export function formatOf(head: Uint8Array): ImageFormat | null {
  const text = String.fromCharCode(...head.subarray(0, HEAD_BYTES));
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (/^GIF8[79]a/.test(text)) return 'gif';
  return /^RIFF.{4}WEBP/s.test(text) ? 'webp' : null;
}

/** Returns `uids` with the item at index `from` moved to index `to`, unchanged if either doesn't exist. */
export function moved(uids: readonly string[], from: number, to: number): string[] {
  const uid = uids[from];
  if (uid === undefined || to < 0 || to >= uids.length) return [...uids];
  return uids.toSpliced(from, 1).toSpliced(to, 0, uid);
}
