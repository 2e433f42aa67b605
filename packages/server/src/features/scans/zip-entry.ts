// What a zip says about itself and its entries, as far as it matters here.

/** The file is not a usable zip. The message is a sentence for its uploader, with the remedy. */
export class ZipError extends Error {
  override readonly name = 'ZipError';
}

/** One record of the central directory (APPNOTE.TXT, 4.3.12), with the sizes and offset of its zip64 field where it has one. */
export type ZipEntry = {
  /** As most unpackers would name the file: segments divided by `/`. May be hostile until `judgeDirectory` has seen it. */
  path: string;
  /** `path` and every other name that some unpacker would read out of the record. */
  names: readonly string[];
  /** The name’s bytes, which the local header repeats. */
  rawName: Buffer;
  type: 'file' | 'folder' | 'symlink';
  /** Unix type and permissions: the upper half of the external attributes, whichever system is said to have made them. */
  mode: number;
  /** Whether the attributes of DOS, the lower half, say that it is a folder. */
  isDosFolder: boolean;
  /** General purpose bit flags (4.4.4). */
  flags: number;
  /** Compression method (4.4.5): 0 stored, 8 deflated. */
  method: number;
  crc32: number;
  /** Bytes in the zip. */
  packedSize: number;
  /** Bytes when unpacked. */
  size: number;
  /** Where its local header begins. */
  offset: number;
};

export type ZipDirectory = {
  /** Bytes of the whole zip. */
  fileSize: number;
  /** Where the central directory begins, which is where the entries must end. */
  start: number;
  /** The number of entries that the zip announces. */
  entryCount: number;
  /** Every entry in the directory’s order; none of them was read when `entryCount` is over the limit that was given. */
  entries: readonly ZipEntry[];
};

/** Types and bits of a Unix mode (inode(7)). */
export const MODES = {
  type: 0o170000,
  file: 0o100000,
  folder: 0o040000,
  symlink: 0o120000,
  setuid: 0o4000,
  setgid: 0o2000,
} as const;

/** General purpose bit flags that matter here. */
export const FLAGS = { encrypted: 0x1, dataDescriptor: 0x8, utf8: 0x800, maskedHeaders: 0x2000 } as const;
