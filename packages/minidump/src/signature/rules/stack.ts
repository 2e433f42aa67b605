// The rule that names the frames: from the first that says something to the first that says enough.
import { type LabelledFrame, placeOf } from '../frames/label-frames.ts';
import type { CrashFacts, Outcome, Rule } from './rule.ts';

/** What becomes of one frame. */
type Verdict = { readonly keep: boolean; readonly stop: boolean; readonly why: string };

/**
 * Starts at a sentinel when there is one, skips irrelevant frames, goes on while frames are prefixes, and ends with the
 * first that is neither. When every frame is skipped, the first function or module of them has to do. Addresses do not, because
 * each start of a game loads it elsewhere; offsets in a module are the same each time.
 */
export const stackRule: Rule = {
  name: 'stack',
  applies: (facts) => facts.labels.length > 0,
  act(facts) {
    const notes: string[] = [];
    const frames = startAtSentinel(facts, notes);
    const kept: LabelledFrame[] = [];
    let last: LabelledFrame | undefined;
    for (const frame of frames) {
      const { keep, stop, why } = judge(frame, facts, kept.at(-1));
      notes.push(`${keep ? 'kept' : 'skipped'} \`${frame.label}\`: ${why}`);
      if (keep) kept.push(frame);
      last = stop ? frame : undefined;
      if (stop) break;
    }
    if (kept.length === 0) return fallBack(frames, facts, notes);
    const isDecided = last !== undefined && last.offset === null;
    return isDecided ? { signature: join(kept), notes } : addOffset(kept, facts, notes);
  },
};

function startAtSentinel(facts: CrashFacts, notes: string[]): readonly LabelledFrame[] {
  const { labels, lists } = facts;
  const isFault = lists.faultReasons.find(facts.reason ?? '') !== undefined;
  for (const list of [...(isFault ? [] : [lists.handlingSentinel]), lists.sentinel, lists.abortSentinel]) {
    for (const { label, index } of labels) {
      const sentinel = list.find(label);
      if (sentinel === undefined) continue;
      notes.push(`started at \`${label}\`, frame ${index}: sentinel (${sentinel.why})`);
      return labels.slice(index);
    }
  }
  return labels;
}

function judge(frame: LabelledFrame, { lists, reason }: CrashFacts, last: LabelledFrame | undefined): Verdict {
  const irrelevant = lists.irrelevant.find(frame.label);
  if (irrelevant) return skip(`irrelevant (${irrelevant.why})`);
  const prefix = lists.prefix.find(frame.label);
  const isNeighbour = frame.module !== null && lists.loaderModules.find(frame.module) !== undefined;
  if (frame.module && (!frame.hasFunction || !prefix || isNeighbour) && lists.runtimeModules.find(frame.module)) {
    const abort = lists.abortReasons.find(reason ?? '');
    if (abort) return skip(`irrelevant (${abort.why} goes through ${frame.module})`);
  }
  if (frame.label === last?.label) return skip('the same as the one before');
  if (prefix) return { keep: true, stop: false, why: `prefix (${prefix.why}), going on` };
  return { keep: true, stop: true, why: 'neither irrelevant nor a prefix, so the last' };
}

function skip(why: string): Verdict {
  return { keep: false, stop: false, why };
}

/** The first function that was skipped, or else the first module: not the kernel's, which is on top of the stack of each abort. */
function fallBack(frames: readonly LabelledFrame[], facts: CrashFacts, notes: readonly string[]): Outcome {
  const modules = frames.filter(({ label }) => !label.startsWith('@'));
  const first =
    frames.find(({ hasFunction }) => hasFunction) ??
    modules.find(({ label }) => facts.lists.irrelevant.find(label) === undefined) ??
    modules[0];
  if (first === undefined) return { signature: '', notes: [...notes, 'every frame is an address alone'] };
  return addOffset([first], facts, [...notes, `every frame was skipped; took \`${first.label}\` all the same`]);
}

/**
 * No function decided, so the innermost frame without a name says where in its module it is: otherwise all crashes of a game without
 * symbols would be one. Frames of the system do not, since a player's version of it would make a group of its own.
 */
function addOffset(kept: readonly LabelledFrame[], { lists }: CrashFacts, notes: readonly string[]): Outcome {
  const bare = kept.find(({ offset, module }) => offset !== null && !lists.systemModules.find(module ?? ''));
  if (bare === undefined) return { signature: join(kept), notes };
  const place = { ...bare, label: placeOf(bare) };
  return {
    signature: join(kept.map((frame) => (frame === bare ? place : frame))),
    notes: [...notes, `no function decided, so \`${bare.label}\` has its offset`],
  };
}

/** Labels with ` | ` between them. */
function join(frames: readonly LabelledFrame[]): string {
  return frames.map(({ label }) => label).join(' | ');
}
