// The format of pages and records of a symbol cache, which its writer and its reader share.
import { crc32 } from 'node:zlib';

/** The size of a page, in bytes: one block of nearly every file system, so that reading a page needs one disk access. */
export const PAGE_SIZE = 4096;
/** The number of bytes of data in a page. They are followed by their checksum (u32, little-endian). */
export const PAGE_DATA_SIZE = PAGE_SIZE - 4;

/** Returns the CRC-32 of a page's data, starting from the page number: this detects a page at the wrong position. */
export function pageChecksum(data: Uint8Array, pageNumber: number): number {
  return crc32(data, pageNumber >>> 0);
}

/** The values of a line: its number and the id of its file. */
export const LINE_COLUMNS = 2;

/** The values of an inlined call: its line, the id of its file plus 1 (0 if unknown), and the id of its origin. */
export const INLINE_COLUMNS = 3;

/** The maximum nesting of inlined calls. Compilers do not nest them deeper. */
export const MAX_INLINE_DEPTH = 256;

/** The maximum number of rule changes in a CFI range, because a lookup returns all rules up to an offset. */
export const MAX_CFI_ROWS = 1 << 16;

/** The position that means that there is no record: the start of a cache never has one. */
export const NO_RECORD = 0;

/** The name that writers of symbol files use for a function without a name. */
export const NO_NAME = '<name omitted>';
