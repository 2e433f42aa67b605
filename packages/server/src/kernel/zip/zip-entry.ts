// What is needed of a zip and its entries.

/** The file is not a usable zip. The message is a sentence with the remedy, for the uploader. */
export class ZipError extends Error {
  override readonly name = 'ZipError';
}

/**
 * One record of the central directory (APPNOTE.TXT, 4.3.12), with the sizes and offset of its zip64 field, if it has
 * one.
 */
export type ZipEntry = {
  /**
   * Where most unpackers write it: segments separated by `/`, and a `/` at the end of a folder. Empty segments and `.`
   * of the name are left out, so `./index.html` is `index.html`, and the root itself is empty. Untrusted until
   * `judgeDirectory` has checked the names.
   */
  path: string;
  /** The names as they are stored: first as most unpackers read it, then as some would. */
  names: readonly string[];
  /** The bytes of the name, which the local header repeats. */
  rawName: Buffer;
  type: 'file' | 'folder' | 'symlink';
  /** Unix type and permissions: the upper half of the external attributes, regardless of the declared system. */
  mode: number;
  /** Whether the DOS attributes, the lower half, declare a folder. */
  isDosFolder: boolean;
  /** General purpose bit flags (4.4.4). */
  flags: number;
  /** Compression method (4.4.5): 0 stored, 8 deflated. */
  method: number;
  crc32: number;
  /** Compressed size in bytes. */
  packedSize: number;
  /** Bytes after unpacking. */
  size: number;
  /** The offset of the local header. */
  offset: number;
};

export type ZipDirectory = {
  /** The size of the whole zip in bytes. */
  fileSize: number;
  /** The offset of the central directory, where the entries must end. */
  start: number;
  /** The number of entries that the zip declares. */
  entryCount: number;
  /** All entries in the order of the directory; empty if `entryCount` exceeds the given limit. */
  entries: readonly ZipEntry[];
};

/** File types and permission bits of a Unix mode (inode(7)). */
export const MODES = {
  type: 0o170000,
  file: 0o100000,
  folder: 0o040000,
  symlink: 0o120000,
  setuid: 0o4000,
  setgid: 0o2000,
} as const;

/** General purpose bit flags that are checked. */
export const FLAGS = { encrypted: 0x1, dataDescriptor: 0x8, utf8: 0x800, maskedHeaders: 0x2000 } as const;

/** The path that a name means: to an unpacker, `a`, `a/`, `./a` and `a//` are the same. Empty for the root. */
export function normalPathOf(name: string): string {
  return name
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/');
}
