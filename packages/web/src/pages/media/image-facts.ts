// What the first bytes of an image file tell of it, before it is sent: its format, whatever it is called.
import type { ImageFormat } from '@chauffeur/contract/image-rules';

/** Bytes that are enough to know the format. */
export const HEAD_BYTES = 12;

/** Null for what is none of the formats that are taken. */
export function formatOf(head: Uint8Array): ImageFormat | null {
  const text = String.fromCharCode(...head.subarray(0, HEAD_BYTES));
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (/^GIF8[79]a/.test(text)) return 'gif';
  return /^RIFF.{4}WEBP/s.test(text) ? 'webp' : null;
}

/** `uids` with the one at `from` moved to `to`, both counted from 0; the same when there is no such place. */
export function moved(uids: readonly string[], from: number, to: number): string[] {
  const uid = uids[from];
  if (uid === undefined || to < 0 || to >= uids.length) return [...uids];
  return uids.toSpliced(from, 1).toSpliced(to, 0, uid);
}
