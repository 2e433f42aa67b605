// Memory for pages that are read, used again and again: memory that is new costs the system more than the reading.
import { PAGE_SIZE } from './pages.ts';

/** Pages that are allocated together: 256 KB. */
const SLAB_PAGES = 64;
/** Free ones that are kept: 8 MB. */
const MAX_FREE = 2048;

const free: Buffer[] = [];

/** Memory of one page; what it holds is left from before. */
export function takeFrame(): Buffer {
  if (free.length === 0) {
    const slab = Buffer.allocUnsafeSlow(SLAB_PAGES * PAGE_SIZE);
    for (let at = 0; at < slab.length; at += PAGE_SIZE) free.push(slab.subarray(at, at + PAGE_SIZE));
  }
  return free.pop()!;
}

/** Takes frames back, which nothing may read any more. */
export function giveBackFrames(frames: Iterable<Buffer>): void {
  for (const frame of frames) if (free.length < MAX_FREE) free.push(frame);
}
