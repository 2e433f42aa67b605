// A pool of memory frames for cache pages: allocating new memory would cost more than reading the pages.
import { PAGE_SIZE } from './pages.ts';

/** How many frames are allocated together: 256 KiB. */
const SLAB_FRAMES = 64;
/** How many free frames the pool keeps: 8 MiB. */
const MAX_FREE_FRAMES = 2048;

/** While fewer frames than this are in use, readers may keep more than their own maximum: 32 MiB for a thread's caches. */
const SOFT_LIMIT = 8192;

const free: Buffer[] = [];
let inUse = 0;

/** Whether a reader may keep another page without dropping one. */
export function hasSpareMemory(): boolean {
  return inUse < SOFT_LIMIT;
}

/** Returns memory for one page, with undefined content. */
export function allocateFrame(): Buffer {
  if (free.length === 0) {
    const slab = Buffer.allocUnsafeSlow(SLAB_FRAMES * PAGE_SIZE);
    for (let at = 0; at < slab.length; at += PAGE_SIZE) free.push(slab.subarray(at, at + PAGE_SIZE));
  }
  inUse += 1;
  return free.pop()!;
}

/** Returns frames to the pool. They must not be read any more. */
export function releaseFrames(frames: Iterable<Buffer>): void {
  for (const frame of frames) {
    inUse -= 1;
    if (free.length < MAX_FREE_FRAMES) free.push(frame);
  }
}

/** Leaves a frame to the garbage collector, because it may still be read. */
export function abandonFrame(): void {
  inUse -= 1;
}
