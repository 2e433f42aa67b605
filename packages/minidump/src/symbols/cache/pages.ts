// How the data of a symbol cache lies in pages, each with its own checksum: the numbers that writer and reader share.
import { crc32 } from 'node:zlib';

/** Bytes of a page in the file. One block of nearly every file system, so that a page costs one read of the disk. */
export const PAGE_SIZE = 4096;
/** Bytes of data in a page; its checksum (u32, little-endian) follows them. */
export const PAGE_DATA_SIZE = PAGE_SIZE - 4;

/** The checksum of a page’s data. It starts from the page’s number, so that a page in another’s place does not pass. */
export function pageChecksum(data: Uint8Array, pageNumber: number): number {
  return crc32(data, pageNumber >>> 0);
}
