// Aligns two stacks, so that the frames that both have are in the same row.
import type { StackFrame } from '@chauffeur/contract/operations/crash-stacks';

export type AlignedFrames = {
  /** The frame of the first stack; undefined if only the second has it. */
  readonly a?: StackFrame;
  readonly b?: StackFrame;
};

/** Comparing takes time in proportion to the product of the lengths. Only endless recursion is longer. */
const MAX_FRAMES = 500;

/** Frames of the longest common subsequence share a row. Among other frames, those of the first stack come first. */
export function alignStacks(a: readonly StackFrame[], b: readonly StackFrame[]): AlignedFrames[] {
  const left = a.slice(0, MAX_FRAMES);
  const right = b.slice(0, MAX_FRAMES);
  const lengths = commonLengths(left.map(identityOf), right.map(identityOf));
  const rows: AlignedFrames[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    const isCommon = i < left.length && j < right.length && identityOf(left[i]!) === identityOf(right[j]!);
    if (isCommon) rows.push({ a: left[i++]!, b: right[j++]! });
    else if (j >= right.length || (i < left.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!))
      rows.push({ a: left[i++]! });
    else rows.push({ b: right[j++]! });
  }
  return rows;
}

/** Lines and offsets are ignored because they differ between builds. An offset identifies a frame only without a name. */
function identityOf({ function: name, module, offset, inlined }: StackFrame): string {
  return JSON.stringify([module, name ?? offset, inlined]);
}

/** For each pair of positions, the number of frames that the remainders of both stacks have in common, in order. */
function commonLengths(a: readonly string[], b: readonly string[]): number[][] {
  const lengths = Array.from({ length: a.length + 1 }, () => Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = lengths[i]!;
      const below = lengths[i + 1]!;
      row[j] = a[i] === b[j] ? below[j + 1]! + 1 : Math.max(below[j]!, row[j + 1]!);
    }
  }
  return lengths;
}
