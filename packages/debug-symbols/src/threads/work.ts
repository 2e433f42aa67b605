// Work on debug information that can be done in several threads. It has parts, such as the units of DWARF, which are
// done in batches. What a batch gives depends on its parts alone, and is taken in the order of the parts, so that the
// result is the same with any number of threads.
import type { Thunk } from '../pdb/functions.ts';
import type { PackedFunctions } from '../symbols/record-packer.ts';

/** What a thread has collected of a batch. */
export type PackedBatch = { readonly functions: PackedFunctions; readonly thunks?: readonly Thunk[] };

/** Parts that any thread can read. `end` is the first part that isn't read. */
export type Parts = { pack(start: number, end: number): PackedBatch };

export type Work = Parts & {
  /** The bytes of debug information of each part. */
  readonly sizes: readonly number[];
  /** Reads parts, and sends what they have to the writer. */
  run(start: number, end: number): void;
  /** Sends what was packed to the writer. */
  add(batch: PackedBatch): void;
  /** The parts for `openParts` in another thread; undefined if they can't be shared. */
  share(): object | undefined;
  /** What the first thread does in the meantime, if there are others. */
  readonly meanwhile?: () => void;
};

/** A conversion, which stops where work can be spread over threads. */
export type Steps<Result> = Generator<Work, Result, void>;
