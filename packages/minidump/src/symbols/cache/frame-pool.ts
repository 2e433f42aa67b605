// Memory for pages that are read, used again and again: memory that is new costs the system more than the reading.
import { PAGE_SIZE } from './pages.ts';

/** Pages that are allocated together: 256 KB. */
const SLAB_PAGES = 64;
/** Free ones that are kept: 8 MB. */
const MAX_FREE = 2048;

/** Up to so many in use, a reader may keep more pages than it is sure of: 32 MB, in all caches of a thread together. */
const MAX_GENEROUS = 8192;

const free: Buffer[] = [];
let inUse = 0;

/** Whether there is memory to spare, so that a reader need not forget a page to keep another. */
export function hasRoom(): boolean {
  return inUse < MAX_GENEROUS;
}

/** Memory of one page; what it holds is left from before. */
export function takeFrame(): Buffer {
  if (free.length === 0) {
    const slab = Buffer.allocUnsafeSlow(SLAB_PAGES * PAGE_SIZE);
    for (let at = 0; at < slab.length; at += PAGE_SIZE) free.push(slab.subarray(at, at + PAGE_SIZE));
  }
  inUse += 1;
  return free.pop()!;
}

/** Takes frames back, which nothing may read any more. */
export function giveBackFrames(frames: Iterable<Buffer>): void {
  for (const frame of frames) {
    inUse -= 1;
    if (free.length < MAX_FREE) free.push(frame);
  }
}

/** Leaves a frame to the collector, since something may still read it. */
export function forgetFrame(): void {
  inUse -= 1;
}
