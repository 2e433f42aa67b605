// Prepares stacks for reading: numbers their frames, folds those outside the game, formats frames and memory as text,
// and aligns two stacks, so that the frames that both have are in the same row.
import type { CrashStack, StackFrame } from '@chauffeur/contract/operations/crash-stacks';
import type { Crash } from './use-crash.ts';

type EventFrame = NonNullable<Crash['event']>['exceptions'][number]['frames'][number];

export type Source = NonNullable<EventFrame['source']>;

/** Some clients send lines of the source code with a frame. */
export type SourceFrame = StackFrame & { readonly source?: Source | null };

/** A frame with its position on the stack. An inlined function has the number of the frame that contains it. */
export type NumberedFrame = SourceFrame & { readonly number: number };

type StackPart =
  | { readonly kind: 'frame'; readonly frame: NumberedFrame; readonly isFirstOwn: boolean }
  /** Consecutive frames of runtimes and of the OS. */
  | { readonly kind: 'fold'; readonly frames: readonly NumberedFrame[] };

/** The shortest run that is folded: a single frame takes no more space than the line that would replace it. */
const MIN_FOLDED = 2;

/** Folds runs of frames that aren't the game's. If no frame is the game's, nothing is folded. */
export function partsOf(frames: readonly SourceFrame[]): StackPart[] {
  const numbered = numberFrames(frames);
  const firstOwn = numbered.find(({ own }) => own);
  if (firstOwn === undefined) return numbered.map((frame) => ({ kind: 'frame', frame, isFirstOwn: false }));
  const parts: StackPart[] = [];
  for (let at = 0; at < numbered.length; ) {
    const run = numbered.slice(at, endOfRun(numbered, at));
    if (run.length >= MIN_FOLDED) parts.push({ kind: 'fold', frames: run });
    else {
      const single = run[0] ?? numbered[at]!;
      parts.push({ kind: 'frame', frame: single, isFirstOwn: single === firstOwn });
    }
    at += Math.max(1, run.length);
  }
  return parts;
}

/** The index after the run of frames, starting at `at`, that aren't the game's. */
function endOfRun(frames: readonly NumberedFrame[], at: number): number {
  const next = frames.findIndex(({ own }, index) => index >= at && own);
  return next === -1 ? frames.length : next;
}

function numberFrames(frames: readonly SourceFrame[]): NumberedFrame[] {
  let number = 0;
  return frames.map((frame) => ({ ...frame, number: frame.inlined ? number : number++ }));
}

/** The first frame in the game's code; one with a function name is preferred. */
export function firstOwnFrame({ crashed }: CrashStack): StackFrame | undefined {
  const own = crashed?.frames.filter((frame) => frame.own) ?? [];
  return own.find((frame) => frame.function !== null) ?? own[0];
}

/** The place of a frame: `src/render/layout.cc:14`, or `game.exe + 0x10` without line information. */
export function formatLocation({ file, line, column, module, offset }: StackFrame): string {
  if (file !== null) return [file, line, line === null ? null : column].filter((part) => part != null).join(':');
  if (module === null) return offset ?? '';
  return offset === null ? module : `${module} + ${offset}`;
}

const STRING = 'std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >';
/** The allocator of a container whose element type is not a template. */
const ALLOCATOR = /<([^<>,]+), std::allocator<\1 ?> ?>/g;

/** The name of a function as it is in the source code: `boot(std::vector<std::string> const&)`. */
export function formatFunction(name: string): string {
  return name.replaceAll(STRING, 'std::string').replace(ALLOCATOR, '<$1>');
}

/** The modules of the frames: `libc.so.6, ntdll.dll and 2 more`. Frames of managed code have no module. */
export function formatModules(frames: readonly StackFrame[]): string {
  if (frames.every(({ module, trust }) => module === null && trust === 'text')) return 'engines and libraries';
  const names = [...new Set(frames.map(({ module }) => module ?? 'unknown module'))];
  return names.length <= 3 ? names.join(', ') : `${names.slice(0, 2).join(', ')} and ${names.length - 2} more`;
}

/**
 * The crashed thread as text for a chat or a ticket: the signature, the reason, and a line for each frame. A stack from
 * the text of a report also has the message and further exceptions.
 */
export function formatStack(title: string, stack: CrashStack): string {
  const { reason, address, assertion, crashed, related, system, format } = stack;
  const more = crashed !== null && crashed.more_frames > 0 ? [`… ${crashed.more_frames} more`] : [];
  const others = related.flatMap(({ type, message, frames }) => [
    '',
    [type || 'Error', message].filter((text) => text !== '').join(': '),
    ...formatFrames(frames),
  ]);
  return [
    title,
    `${reason ?? 'Unknown reason'}${address === null ? '' : ` at ${address}`} · ${system.os} ${system.cpu}`,
    ...(format === null || assertion === null ? [] : [assertion]),
    '',
    ...formatFrames(crashed?.frames ?? []),
    ...more,
    ...others,
    '',
  ].join('\n');
}

function formatFrames(frames: readonly StackFrame[]): string[] {
  return numberFrames(frames).map((frame) => {
    const marks = [...(frame.inlined ? ['inlined'] : []), ...(frame.trust === 'scan' ? ['guessed'] : [])];
    const place = formatLocation(frame);
    const name = [frame.function, place].filter((part) => part !== null && part !== '').join('  ');
    return `${String(frame.number).padStart(2)}  ${name}${marks.length === 0 ? '' : `  (${marks.join(', ')})`}`;
  });
}

/**
 * The bytes of a word of memory as text, in the order of their addresses: all supported CPUs store the last byte of a
 * number first. Bytes that are not printable ASCII become `.`.
 */
export function textOfWord(value: string): string {
  const bytes = value.replace(/^0x/, '').match(/../g) ?? [];
  return bytes
    .reverse()
    .map((byte) => {
      const code = Number.parseInt(byte, 16);
      return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '.';
    })
    .join('');
}

type AlignedFrames = {
  /** The frame of the first stack; undefined if only the second has it. */
  readonly a?: StackFrame;
  readonly b?: StackFrame;
};

/**
 * The number of frames that are compared, because the time grows with the product of the lengths. Only endless
 * recursion is longer.
 */
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

/**
 * Lines and offsets are ignored because they differ between builds. An offset identifies a frame only without a name.
 */
function identityOf({ function: name, module, offset, inlined }: StackFrame): string {
  return JSON.stringify([module, name ?? offset, inlined]);
}

/** Counts, for each pair of positions, the frames that the remainders of both stacks have in common, in order. */
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
