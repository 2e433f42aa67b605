// Names files in the staging folder.
import { createHash } from 'node:crypto';
import type { FileEntry } from '@chauffeur/deltas/manifest';

/** Depends on path and content, so that an attempt for another version can use it too. */
export function stagedName({ path, sha256 }: Pick<FileEntry, 'path' | 'sha256'>): string {
  return createHash('sha256').update(path).update('\0').update(sha256).digest('hex').slice(0, 32);
}
