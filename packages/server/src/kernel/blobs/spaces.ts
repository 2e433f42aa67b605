// Memory for whole files, which is used again and again. If each file allocated its own, V8 would collect the whole heap
// every few files, and the system would have to clear the memory each time.
import { MIB } from '@chauffeur/contract/limits';

/** Larger than nearly every dump. */
const SPACE_BYTES = 4 * MIB;
const MAX_TAKEN = 16;
const MAX_FREE = 4;

let taken = 0;
const free: ArrayBuffer[] = [];

/** A file in such memory. */
export type FileInSpace = { readonly space: ArrayBuffer; readonly size: number };

/** Null if too much memory is in use. The memory still contains bytes of other files. */
export function takeSpace(): ArrayBuffer | null {
  if (taken === MAX_TAKEN) return null;
  taken += 1;
  return free.pop() ?? new ArrayBuffer(SPACE_BYTES);
}

/** Each space is given back once, also if its memory went to a thread that didn't return it. */
export function giveBackSpace(space: ArrayBuffer): void {
  taken -= 1;
  if (!space.detached && free.length < MAX_FREE) free.push(space);
}

/** Drops a space whose memory may still be in use, instead of giving it back. */
export function dropSpace(): void {
  taken -= 1;
}
