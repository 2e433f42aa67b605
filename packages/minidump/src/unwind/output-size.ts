// Limits the size of frames in the JSON report: symbol files can contain long names, and a stack can repeat them.
import type { Registers } from '../contexts/cpu.ts';
import type { CodePlace } from '../symbols/module-symbols.ts';
import type { Budget } from './unwinder.ts';

/** Characters for a frame without names and registers, an inlined function without names, and a register. */
const FRAME_SIZE = 500;
const INLINE_SIZE = 40;
const REGISTER_SIZE = 30;

/**
 * Subtracts the size of the frame from the budget. If the frame does not fit, leaves out the inlined functions first,
 * then all names. The budget is then below 0, which ends the walk.
 */
export function fitPlace(place: CodePlace | undefined, registers: Registers, budget: Budget): CodePlace | undefined {
  const size = FRAME_SIZE + registers.size * REGISTER_SIZE;
  if (place === undefined) {
    budget.output -= size;
    return undefined;
  }
  const own = size + sizeOf(place);
  const all = place.inlines.reduce((sum, inline) => sum + INLINE_SIZE + sizeOf(inline), own);
  if (all <= budget.output) {
    budget.output -= all;
    return place;
  }
  const fits = own <= budget.output;
  budget.output = -1;
  return fits ? { ...place, inlines: [], hasMoreInlines: place.inlines.length > 0 } : undefined;
}

function sizeOf({ function: name = '', file }: Pick<CodePlace, 'function' | 'file'>): number {
  return escapedSize(name) + (file === undefined ? 0 : escapedSize(file));
}

/** Estimates the length in JSON: control characters need six characters, quotes and backslashes two. */
function escapedSize(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it searches for control characters
  if (/[\u0000-\u001f]/.test(text)) return 6 * text.length;
  return /["\\]/.test(text) ? 2 * text.length : text.length;
}
