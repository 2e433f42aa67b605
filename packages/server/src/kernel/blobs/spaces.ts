// Memory for whole files, which is used again and again, and which threads read in place. If each file allocated its own,
// V8 would collect the whole heap every few files, and the system would have to clear the memory each time. V8 doesn't
// count shared memory, which therefore causes no collections where it goes.
import { MIB } from '@chauffeur/contract/limits';

/** Larger than nearly every dump. */
const SPACE_BYTES = 4 * MIB;
const MAX_TAKEN = 16;
const MAX_FREE = 4;

let taken = 0;
const free: SharedArrayBuffer[] = [];

/** A file in such memory. */
export type FileInSpace = { readonly space: SharedArrayBuffer; readonly size: number };

/** Null if too much memory is in use. The memory still contains bytes of other files. */
export function takeSpace(): SharedArrayBuffer | null {
  if (taken === MAX_TAKEN) return null;
  taken += 1;
  return free.pop() ?? new SharedArrayBuffer(SPACE_BYTES);
}

/** Each space is given back once. */
export function giveBackSpace(space: SharedArrayBuffer): void {
  taken -= 1;
  if (free.length < MAX_FREE) free.push(space);
}

/** Drops a space whose memory may still be in use, instead of giving it back. */
export function dropSpace(): void {
  taken -= 1;
}
