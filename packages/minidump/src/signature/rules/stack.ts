// The rule that builds the signature from the stack: from the first relevant frame to the first decisive one.
import { type LabelledFrame, placeOf } from '../frames/label-frames.ts';
import { maskText } from '../printable.ts';
import type { CrashFacts, Rule, RuleOutcome } from './rule.ts';

/** What the rule does with one frame. */
type Verdict = { readonly keep: boolean; readonly stop: boolean; readonly why: string };

/**
 * Starts at a sentinel if there is one, skips irrelevant frames, keeps prefix frames and continues, and stops at the
 * first frame that is neither, or that is in the list of ends. If every frame is skipped, uses the first function or
 * module. Never uses addresses, because a game is loaded at a different address each time; offsets in a module stay the
 * same.
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
      notes.push(keep ? `kept \`${frame.label}\`: ${why}` : `skipped \`${frame.label}\`: ${why}`);
      if (keep) kept.push(frame);
      last = stop ? frame : undefined;
      if (stop) break;
    }
    if (kept.length === 0 && isExplained(facts))
      return { signature: '', notes: [...notes, "every frame was skipped, so the program's own message is used"] };
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
      notes.push(`started at \`${label}\` (frame ${index}): sentinel (${sentinel.why})`);
      return labels.slice(index);
    }
  }
  return labels;
}

function judge(frame: LabelledFrame, { lists, reason }: CrashFacts, last: LabelledFrame | undefined): Verdict {
  const end = lists.end.find(frame.label);
  if (end) return { keep: true, stop: true, why: `the signature ends here (${end.why})` };
  const irrelevant = lists.irrelevant.find(frame.label);
  if (irrelevant) return skip(`irrelevant (${irrelevant.why})`);
  const prefix = lists.prefix.find(frame.label);
  const isLoader = frame.module !== null && lists.loaderModules.find(frame.module) !== undefined;
  if (frame.module && (!frame.hasFunction || !prefix || isLoader) && lists.runtimeModules.find(frame.module)) {
    const abort = lists.abortReasons.find(reason ?? '');
    if (abort) return skip(`irrelevant (runtime frame in ${frame.module}; the crash reason is ${abort.why})`);
  }
  if (frame.label === last?.label) return skip('same as the previous frame');
  if (prefix) return { keep: true, stop: false, why: `prefix (${prefix.why}), so the next frame is added too` };
  if (frame.isSystem) {
    // How system libraries call each other differs between devices and versions. Only the innermost is named.
    if (last?.isSystem) return skip(`in a folder of the operating system, like the previous frame`);
    return { keep: true, stop: false, why: 'in a folder of the operating system, so the next frame is added too' };
  }
  return { keep: true, stop: true, why: 'neither irrelevant nor a prefix, so the signature ends here' };
}

function skip(why: string): Verdict {
  return { keep: false, stop: false, why };
}

/**
 * Whether the program said why it stopped. That says more than the functions through which every program stops; after a
 * fault of the CPU, the innermost of them still says more.
 */
function isExplained({ assertion, message, reason, lists }: CrashFacts): boolean {
  const isFault = lists.faultReasons.find(reason ?? '') !== undefined;
  return !isFault && [assertion, message].some((text) => maskText(text ?? '') !== '');
}

/** Uses the first skipped function, or else the first module other than the kernel's, which is on top of every abort. */
function fallBack(frames: readonly LabelledFrame[], facts: CrashFacts, notes: readonly string[]): RuleOutcome {
  const modules = frames.filter(({ label }) => !label.startsWith('@'));
  const first =
    frames.find(({ hasFunction }) => hasFunction) ??
    modules.find(({ label }) => facts.lists.irrelevant.find(label) === undefined) ??
    modules[0];
  if (first === undefined) return { signature: '', notes: [...notes, 'no frame has a function or a module'] };
  return addOffset([first], facts, [...notes, `every frame was skipped, so \`${first.label}\` is used`]);
}

/**
 * Called when no function ended the signature. Adds the module offset to the innermost frame without a name: otherwise
 * all crashes of a game without symbols would be one group. System modules get no offset, because it differs between
 * players' versions and would split a group.
 */
function addOffset(kept: readonly LabelledFrame[], { lists }: CrashFacts, notes: readonly string[]): RuleOutcome {
  const bare = kept.find(
    ({ offset, module, isSystem }) => offset !== null && !isSystem && !lists.systemModules.find(module ?? ''),
  );
  if (bare === undefined) return { signature: join(kept), notes };
  const place = { ...bare, label: placeOf(bare) };
  return {
    signature: join(kept.map((frame) => (frame === bare ? place : frame))),
    notes: [...notes, `no function ended the signature, so \`${bare.label}\` includes its module offset`],
  };
}

function join(frames: readonly LabelledFrame[]): string {
  return frames.map(({ label }) => label).join(' | ');
}
