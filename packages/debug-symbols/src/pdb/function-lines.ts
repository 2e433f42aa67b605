// Lays the lines of inlined functions over the lines of the function that contains them.
//
// Where a call has several ranges, Mozilla's dump_syms 2.3.5 leaves out the first line of a range if it is the same as
// the last line of the range before. The code then gets the line of whatever precedes it, which is often in a file that
// the innermost function has nothing to do with. Here, every range has its own lines, as in llvm-symbolizer.
import type { LineRange } from './inlinees.ts';

/** Lines at one depth of inlined calls: 0 for the function itself. */
export interface LineLayer {
  readonly depth: number;
  readonly ranges: readonly LineRange[];
}

interface Candidate {
  readonly range: LineRange;
  /** Depth first; among equals, the layer that came last. */
  readonly priority: number;
}

/**
 * Returns the line of the innermost call at each address, by ascending address and without overlaps. Neighbouring
 * ranges of the same line are joined.
 */
export function findInnermostLines(layers: readonly LineLayer[]): LineRange[] {
  const result: LineRange[] = [];
  if (layers.length === 1) {
    for (const range of layers[0]!.ranges) append(result, range.start, range.end, range);
    return result;
  }
  const candidates = layers.flatMap(({ depth, ranges }, index) =>
    ranges.map((range) => ({ range, priority: depth * layers.length + index })),
  );
  candidates.sort((a, b) => a.range.start - b.range.start);
  const active = new Heap();
  let next = 0;
  let at = 0;
  while (next < candidates.length || active.top !== undefined) {
    if (active.top === undefined) at = candidates[next]!.range.start;
    while (next < candidates.length && candidates[next]!.range.start <= at) active.push(candidates[next++]!);
    while (active.top !== undefined && active.top.range.end <= at) active.pop();
    const top = active.top;
    if (top === undefined) continue;
    const end = Math.min(top.range.end, candidates[next]?.range.start ?? top.range.end);
    append(result, at, end, top.range);
    at = end;
  }
  return result;
}

function append(result: LineRange[], start: number, end: number, { line, file }: LineRange): void {
  const last = result.at(-1);
  const joined = last !== undefined && last.end === start && last.line === line && last.file === file;
  if (joined) result[result.length - 1] = { start: last.start, end, line, file };
  else result.push({ start, end, line, file });
}

/** A binary heap with the candidate of the highest priority on top. */
class Heap {
  readonly #items: Candidate[] = [];

  get top(): Candidate | undefined {
    return this.#items[0];
  }

  push(item: Candidate): void {
    const items = this.#items;
    let at = items.length;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (items[parent]!.priority >= item.priority) break;
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = item;
  }

  pop(): void {
    const items = this.#items;
    const item = items.pop()!;
    if (items.length === 0) return;
    let at = 0;
    for (let child = 1; child < items.length; child = at * 2 + 1) {
      if (child + 1 < items.length && items[child + 1]!.priority > items[child]!.priority) child++;
      if (items[child]!.priority <= item.priority) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = item;
  }
}
