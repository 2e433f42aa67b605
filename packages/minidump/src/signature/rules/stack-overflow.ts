// The rule for stack overflows: names the functions that call each other, whichever of them ran last.
import type { Hex } from '../../report.ts';
import { placeOf } from '../frames/label-frames.ts';
import { findRecursion } from '../frames/recursion.ts';
import type { CrashFacts, Rule } from './rule.ts';

/** How far from the stack pointer a push can fault, in bytes: the guard page, and the stack probe of a large frame. */
const MAX_DISTANCE = 0x10000n;
const STACK_POINTERS = ['rsp', 'esp', 'sp', 'r13'];
/** How many functions of a cycle go into the signature. */
const MAX_NAMES = 3;

/**
 * Windows reports a stack overflow as such. On other systems it is an ordinary memory fault: it counts as an overflow if
 * the fault address is near the stack pointer and the frames repeat.
 */
export const stackOverflowRule: Rule = {
  name: 'stack-overflow',
  applies: (facts) => isReportedOverflow(facts) || (faultsAtStackPointer(facts) && recursionOf(facts) !== undefined),
  act(facts, signature) {
    const cycle = recursionOf(facts);
    if (cycle === undefined) {
      return { signature: `stackoverflow | ${signature}`, notes: ['stack overflow without repeating calls'] };
    }
    const names = cycle.slice(0, MAX_NAMES).join(' | ');
    return { signature: `stackoverflow | ${names}`, notes: [`stack overflow with ${cycle.length} repeating calls`] };
  },
};

/** Frames without a name are compared by offset: different calls in a module without symbols are not a recursion. */
function recursionOf({ labels, lists }: CrashFacts): string[] | undefined {
  const places = new Map(labels.map((frame) => [placeOf(frame), frame]));
  const cycle = findRecursion(labels.map(placeOf))?.map((place) => {
    const { label, module, isSystem } = places.get(place)!;
    return isSystem || lists.systemModules.find(module ?? '') ? label : place;
  });
  return cycle?.filter((name, index) => name !== cycle[index - 1]);
}

function isReportedOverflow({ reason }: CrashFacts): boolean {
  return /^(?:EXCEPTION_STACK_OVERFLOW|STATUS_STACK_OVERFLOW)\b/.test(reason ?? '');
}

function faultsAtStackPointer({ reason, address, frames }: CrashFacts): boolean {
  if (!address || !/^(?:SIGSEGV|SIGBUS|EXC_BAD_ACCESS)\b/.test(reason ?? '')) return false;
  const registers = frames?.[0]?.registers ?? {};
  const pointer = STACK_POINTERS.map((name) => registers[name]).find((value) => value !== undefined);
  if (!isHex(address) || !isHex(pointer)) return false;
  const distance = BigInt(address) - BigInt(pointer);
  return distance <= MAX_DISTANCE && distance >= -MAX_DISTANCE;
}

function isHex(text: string | undefined): text is Hex {
  return text !== undefined && /^0x[0-9a-f]{1,16}$/i.test(text);
}
