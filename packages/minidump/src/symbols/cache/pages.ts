// The page format of a symbol cache, shared by its writer and its reader.
import { crc32 } from 'node:zlib';

/** The size of a page, in bytes: one block of nearly every file system, so that reading a page needs one disk access. */
export const PAGE_SIZE = 4096;
/** The number of bytes of data in a page. They are followed by their checksum (u32, little-endian). */
export const PAGE_DATA_SIZE = PAGE_SIZE - 4;

/** Returns the CRC-32 of a page's data, starting from the page number: this detects a page at the wrong position. */
export function pageChecksum(data: Uint8Array, pageNumber: number): number {
  return crc32(data, pageNumber >>> 0);
}
