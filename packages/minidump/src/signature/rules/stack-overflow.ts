// The rule for stack overflows: names the functions that call each other, whichever of them ran last.
import type { Hex } from '../../report.ts';
import { placeOf } from '../frames/label-frames.ts';
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

// Finds the repeating calls in the stack of an overflow.

/** How many functions a cycle can have. Longer cycles look like any other stack. */
const MAX_CYCLE = 10;
/** How often a cycle must repeat, so that two equal calls in a row do not count. */
const MIN_ROUNDS = 3;
/** Frames above the first full round: calls that were active when the stack overflowed. */
const MAX_LEAF = 10;

/**
 * Returns the labels of the cycle, or undefined if no calls repeat. The cycle starts with the label that makes its text
 * alphabetically first, because the stack can overflow at any point of the cycle: `odd even odd even` and
 * `even odd even odd` are the same fault.
 */
export function findRecursion(labels: readonly string[]): string[] | undefined {
  for (let leaf = 0; leaf <= MAX_LEAF; leaf++) {
    for (let length = 1; length <= MAX_CYCLE; length++) {
      if (repeats(labels, leaf, length)) return rotateToFirst(labels.slice(leaf, leaf + length));
    }
  }
  return undefined;
}

function repeats(labels: readonly string[], start: number, length: number): boolean {
  if (start + length * MIN_ROUNDS > labels.length) return false;
  for (let at = start; at < start + length * (MIN_ROUNDS - 1); at++) {
    if (labels[at] !== labels[at + length]) return false;
  }
  return true;
}

function rotateToFirst(cycle: readonly string[]): string[] {
  const rotations = cycle.map((_, at) => [...cycle.slice(at), ...cycle.slice(0, at)]);
  return rotations.reduce((first, other) => (other.join('\n') < first.join('\n') ? other : first));
}
