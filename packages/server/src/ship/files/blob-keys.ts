// The keys of the blobs of files.

export const FILES_PREFIX = 'files/';

/** The key of the zip of a file. */
export function zipKeyOf(gameId: string, fileId: string): string {
  return `${FILES_PREFIX}${gameId}/${fileId}.zip`;
}

/** The key of the manifest of a file. */
export function manifestKeyOf(gameId: string, fileId: string): string {
  return `${FILES_PREFIX}${gameId}/${fileId}.manifest`;
}

/** The key of a bundle, from which the zip of a file is composed. */
export function bundleKeyOf(gameId: string, fileId: string): string {
  return `${FILES_PREFIX}${gameId}/${fileId}.bundle`;
}

/** The file that a blob below the prefix belongs to. */
export function fileIdOfKey(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1, key.lastIndexOf('.'));
}
