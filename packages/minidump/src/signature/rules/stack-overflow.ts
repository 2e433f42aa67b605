// The rule for a stack that ran full: the functions that call each other, whichever of them was the last.
import type { Hex } from '../../report.ts';
import { placeOf } from '../frames/label-frames.ts';
import { findRecursion } from '../frames/recursion.ts';
import type { CrashFacts, Rule } from './rule.ts';

/** How far from the stack pointer a fault can be that comes of pushing: the guard page, and a large frame's probe. */
const NEAR = 0x10000n;
const STACK_POINTERS = ['rsp', 'esp', 'sp', 'r13'];
/** Names of a circle that go into the signature. */
const MAX_NAMES = 3;

/**
 * Windows says when a stack is full. Elsewhere it is a fault like any other: it counts as one when its address lies at the
 * stack pointer and the frames repeat.
 */
export const stackOverflowRule: Rule = {
  name: 'stack-overflow',
  applies: (facts) => saysOverflow(facts) || (faultsAtStackPointer(facts) && recursionOf(facts) !== undefined),
  act(facts, signature) {
    const cycle = recursionOf(facts);
    if (cycle === undefined) {
      return { signature: `stackoverflow | ${signature}`, notes: ['the stack ran full; no calls repeat'] };
    }
    const names = cycle.slice(0, MAX_NAMES).join(' | ');
    return { signature: `stackoverflow | ${names}`, notes: [`the stack ran full; ${cycle.length} calls repeat`] };
  },
};

/** Frames without a name repeat when their offsets do: calls in a module without symbols are not all the same. */
function recursionOf({ labels, lists }: CrashFacts): string[] | undefined {
  const places = new Map(labels.map((frame) => [placeOf(frame), frame]));
  const cycle = findRecursion(labels.map(placeOf))?.map((place) => {
    const { label, module } = places.get(place)!;
    return lists.systemModules.find(module ?? '') ? label : place;
  });
  return cycle?.filter((name, index) => name !== cycle[index - 1]);
}

function saysOverflow({ reason }: CrashFacts): boolean {
  return /^(?:EXCEPTION_STACK_OVERFLOW|STATUS_STACK_OVERFLOW)\b/.test(reason ?? '');
}

function faultsAtStackPointer({ reason, address, frames }: CrashFacts): boolean {
  if (!address || !/^(?:SIGSEGV|SIGBUS|EXC_BAD_ACCESS)\b/.test(reason ?? '')) return false;
  const registers = frames?.[0]?.registers ?? {};
  const pointer = STACK_POINTERS.map((name) => registers[name]).find((value) => value !== undefined);
  if (!isHex(address) || !isHex(pointer)) return false;
  const distance = BigInt(address) - BigInt(pointer);
  return distance <= NEAR && distance >= -NEAR;
}

function isHex(text: string | undefined): text is Hex {
  return text !== undefined && /^0x[0-9a-f]{1,16}$/i.test(text);
}
