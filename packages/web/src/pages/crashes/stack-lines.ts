// Decides how a stack is read: which frames stand for themselves, which are folded, and how all of it is written as text.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getCrashStack } from '@chauffeur/contract/operations/crash-stacks';

export type CrashStack = OutputOf<typeof getCrashStack>;
export type StackThread = NonNullable<CrashStack['crashed']>;
export type StackFrame = StackThread['frames'][number];

/** A frame with its place on the stack; an inlined function has the number of the frame that it is in. */
export type NumberedFrame = StackFrame & { readonly number: number };

export type StackPart =
  | { readonly kind: 'frame'; readonly frame: NumberedFrame; readonly isFirstOwn: boolean }
  /** Frames of runtimes and of the system, one after the other. */
  | { readonly kind: 'fold'; readonly frames: readonly NumberedFrame[] };

/** Fewer are not worth a line that stands for them. */
const FOLDED_FROM = 2;

/** Folds what is not the game’s; a stack without any frame of the game’s stays as it is. */
export function partsOf(frames: readonly StackFrame[]): StackPart[] {
  const numbered = numberFrames(frames);
  const firstOwn = numbered.find(({ own }) => own);
  if (firstOwn === undefined) return numbered.map((frame) => ({ kind: 'frame', frame, isFirstOwn: false }));
  const parts: StackPart[] = [];
  for (let at = 0; at < numbered.length; ) {
    const run = numbered.slice(at, endOfRun(numbered, at));
    if (run.length >= FOLDED_FROM) parts.push({ kind: 'fold', frames: run });
    else {
      const single = run[0] ?? numbered[at]!;
      parts.push({ kind: 'frame', frame: single, isFirstOwn: single === firstOwn });
    }
    at += Math.max(1, run.length);
  }
  return parts;
}

/** Behind the last of the frames from `at` on that are not the game’s. */
function endOfRun(frames: readonly NumberedFrame[], at: number): number {
  const next = frames.findIndex(({ own }, index) => index >= at && own);
  return next === -1 ? frames.length : next;
}

function numberFrames(frames: readonly StackFrame[]): NumberedFrame[] {
  let number = 0;
  return frames.map((frame) => ({ ...frame, number: frame.inlined ? number : number++ }));
}

/** The first frame of the game’s own code: with a name rather than without one, which says little. */
export function firstOwnFrame({ crashed }: CrashStack): StackFrame | undefined {
  const own = crashed?.frames.filter((frame) => frame.own) ?? [];
  return own.find((frame) => frame.function !== null) ?? own[0];
}

/** `src/render/layout.cc:14`, or the module and the place in it; what there is. */
export function sayPlace({ file, line, module, offset }: StackFrame): string {
  if (file !== null) return line === null ? file : `${file}:${line}`;
  return module === null ? (offset ?? '') : `${module} + ${offset}`;
}

const STRING = 'std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >';
/** The allocator of a container of something that is no template itself. */
const ALLOCATOR = /<([^<>,]+), std::allocator<\1 ?> ?>/g;

/** A function by the name that its developer knows: `boot(std::vector<std::string> const&)`. */
export function sayFunction(name: string): string {
  return name.replaceAll(STRING, 'std::string').replace(ALLOCATOR, '<$1>');
}

/** `libc.so.6, ntdll.dll and 2 more`. */
export function sayModules(frames: readonly StackFrame[]): string {
  const names = [...new Set(frames.map(({ module }) => module ?? 'no module'))];
  return names.length <= 3 ? names.join(', ') : `${names.slice(0, 2).join(', ')} and ${names.length - 2} more`;
}

/** The crashed thread for a message or a ticket: the signature, the reason, and a line for each frame. */
export function writeStack(title: string, { reason, address, crashed, system }: CrashStack): string {
  const frames = numberFrames(crashed?.frames ?? []).map((frame) => {
    const marks = [...(frame.inlined ? ['inlined'] : []), ...(frame.trust === 'scan' ? ['a guess'] : [])];
    const place = sayPlace(frame);
    const name = frame.function === null ? place : `${frame.function}  ${place}`;
    return `${String(frame.number).padStart(2)}  ${name}${marks.length === 0 ? '' : `  (${marks.join(', ')})`}`;
  });
  const more = crashed !== null && crashed.more_frames > 0 ? [`… ${crashed.more_frames} more`] : [];
  return [
    title,
    `${reason ?? 'No reason'}${address === null ? '' : ` at ${address}`} · ${system.os} ${system.cpu}`,
    '',
    ...frames,
    ...more,
    '',
  ].join('\n');
}
