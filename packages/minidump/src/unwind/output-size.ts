// How much of the report a frame takes, as it is written in JSON: symbol files may hold names of any length, and a stack may repeat them.
import type { Registers } from '../contexts/cpu.ts';
import type { CodePlace, SourcePlace } from '../symbols/module-symbols.ts';
import type { Budget } from './unwinder.ts';

/** Characters of a frame without names and registers, of an inlined function without names, and of a register. */
const FRAME_SIZE = 500;
const INLINE_SIZE = 40;
const REGISTER_SIZE = 30;

/**
 * Takes what the frame needs from the budget. What does not fit is left out: the inlined functions first, then all names. The budget is then below 0, and the walk ends.
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

function sizeOf({ function: name, file }: SourcePlace): number {
  return escapedSize(name) + (file === undefined ? 0 : escapedSize(file));
}

/** Control characters take six characters in JSON; quotes and the backslashes of Windows' paths two. */
function escapedSize(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
  if (/[\u0000-\u001f]/.test(text)) return 6 * text.length;
  return /["\\]/.test(text) ? 2 * text.length : text.length;
}
