// Checks image files before they are uploaded, and moves screenshots within the gallery.
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { MIB } from '@chauffeur/contract/limits';
import { LocalError } from '../failures.ts';

export type ImageKind = 'cover' | 'thumbnail' | 'screenshot';

const LARGEST: Record<ImageKind, number> = { thumbnail: 5 * MIB, cover: 8 * MIB, screenshot: 10 * MIB };

/** Opens an image as a blob that stays on disk. Rejects with LocalError. The service checks width and height. */
export async function openImage(path: string, kind: ImageKind): Promise<{ blob: Blob; name: string }> {
  const opened = await openAsBlob(path).catch((cause: unknown) => {
    throw new LocalError(`${path}: cannot be read.`, 'Check the path and its permissions.', { cause });
  });
  if (opened.size > LARGEST[kind]) {
    throw new LocalError(`${path}: is larger than ${LARGEST[kind] / MIB} MiB.`, 'Compress or resize it.');
  }
  const type = imageTypeOf(Buffer.from(await opened.slice(0, 12).arrayBuffer()));
  if (type === null) {
    throw new LocalError(`${path}: is not a PNG, JPEG, GIF or WebP.`, 'Export the image in one of these formats.');
  }
  return { blob: opened.slice(0, opened.size, type), name: basename(path) };
}

/** The media type by the file signature, independent of the file name; null for other formats. */
export function imageTypeOf(head: Buffer): string | null {
  const bytes = head.toString('latin1');
  if (bytes.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (bytes.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(bytes)) return 'image/gif';
  return /^RIFF.{4}WEBP/s.test(bytes) ? 'image/webp' : null;
}

/** `uids` with `uid` at `position` (from 1). Throws LocalError. */
export function movedTo(uids: readonly string[], uid: string, position: number): string[] {
  if (!uids.includes(uid)) {
    throw new LocalError('uid: no screenshot has this uid.', 'Use a uid printed by chauffeur media list.');
  }
  if (!Number.isInteger(position) || position < 1 || position > uids.length) {
    throw new LocalError('position: is not a position in the gallery.', `Use a number from 1 to ${uids.length}.`);
  }
  return uids.filter((other) => other !== uid).toSpliced(position - 1, 0, uid);
}
