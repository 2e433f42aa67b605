// Opens files of the store page for upload, checks images, and moves screenshots within the gallery.
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { detectImageFormat, IMAGE_HEAD_BYTES, type ImageKind, maxBytesOf } from '@chauffeur/contract/image-rules';
import { MIB } from '@chauffeur/contract/limits';
import { LocalError } from '../failures.ts';

/** Opens an image as a blob that stays on disk. Rejects with LocalError. The service checks width and height. */
export async function openImage(path: string, kind: ImageKind): Promise<{ blob: Blob; name: string }> {
  const opened = await openFile(path);
  const maxBytes = maxBytesOf(kind);
  if (opened.size > maxBytes) {
    throw new LocalError(`${path} is larger than ${maxBytes / MIB} MiB.`, 'Compress or resize it.');
  }
  const format = detectImageFormat(new Uint8Array(await opened.slice(0, IMAGE_HEAD_BYTES).arrayBuffer()));
  if (format === null) {
    throw new LocalError(`${path} is not a PNG, JPEG, GIF or WebP.`, 'Export the image in one of these formats.');
  }
  return { blob: opened.slice(0, opened.size, `image/${format}`), name: basename(path) };
}

/** `uids` with `uid` at `position` (from 1). Throws LocalError. */
export function movedTo(uids: readonly string[], uid: string, position: number): string[] {
  if (!uids.includes(uid)) {
    throw new LocalError('uid: no screenshot has this uid.', 'Use a uid printed by chauffeur media list.');
  }
  if (!Number.isInteger(position) || position < 1 || position > uids.length) {
    throw new LocalError('The gallery has no such position.', `Use a number from 1 to ${uids.length}.`);
  }
  return uids.filter((other) => other !== uid).toSpliced(position - 1, 0, uid);
}

/** Opens a file as a blob that stays on disk. Rejects with LocalError. */
export async function openFile(path: string): Promise<Blob> {
  try {
    // Throws at once if there is no such file.
    return await openAsBlob(path);
  } catch (cause) {
    throw new LocalError(`${path} cannot be read.`, 'Check the path and its permissions.', { cause });
  }
}
