// Exceptions with their frames, in the form that the parsers of all formats of text reports return, and what the
// formats share: the line that names an exception above its frames, whatever a runtime or a logger writes before it.
import type { RelatedException as RelatedRecord } from '@chauffeur/contract/operations/crash-stacks';
import { isBlank, isTypeName, splitFirst, type TypedMessage, typedMessage } from './line-parsers.ts';

export type TraceFrame = {
  /** The name without arguments; null if the format has no name for it. */
  readonly function: string | null;
  /** The native module, such as `UnityPlayer.dll`. Managed code has none. */
  readonly module: string | null;
  /** The module with its folder, if the text has it. */
  readonly path: string | null;
  /** The offset in the module, such as `0x14`. */
  readonly offset: string | null;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  /** Whether it is the game's own code, rather than an engine, a standard library or the OS. */
  readonly own: boolean;
};

/**
 * How an exception relates to the main one. `consequence`: thrown because of it. `handled`: it was thrown meanwhile.
 */
type Relation = RelatedRecord['relation'];

export type TraceException = {
  /** `NullReferenceException`, `SIGSEGV`, `panic`. */
  readonly type: string;
  /** The message as it was reported; empty if it says no more than the type. */
  readonly message: string;
  /** Innermost first. */
  readonly frames: readonly TraceFrame[];
};

export type RelatedException = TraceException & { readonly relation: Relation };

export type Trace = {
  /** The name of the format. */
  readonly format: string;
  /**
   * Native frames have the names of compiled functions, which the lists of signatures know. Of managed frames, the
   * game's own ones decide.
   */
  readonly isNative: boolean;
  /** Whether the program ended with it. In a log, it counts before any later exception that was only reported. */
  readonly isFatal: boolean;
  /** The exception that the report is grouped by: the root cause. */
  readonly main: TraceException;
  readonly related: readonly RelatedException[];
};

/** What a format reads of a trace. */
export type TraceReading = Omit<Trace, 'format' | 'related'> & {
  /** Empty if it is missing. */
  readonly related?: readonly RelatedException[];
  /** The index of the first line after the report. */
  readonly end: number;
};

export type TextFormat = {
  /** Shown on the page of a report: `Godot script error`. */
  readonly name: string;
  /**
   * Reads the report that begins at the line `at`; null if none of this format does. To keep the time for a text
   * linear, it looks at no more than a few other lines before it returns null.
   */
  read(lines: readonly string[], at: number): TraceReading | null;
};

export const TRACE_LIMITS = {
  /** The frames of an exception. The innermost frames are kept: in an endless recursion, the others say nothing. */
  frames: 64,
  related: 8,
  messageLength: 500,
  nameLength: 300,
} as const;

/** A frame without what is unknown. */
export function frame(fields: Partial<TraceFrame>): TraceFrame {
  return {
    function: null,
    module: null,
    path: null,
    offset: null,
    file: null,
    line: null,
    column: null,
    own: true,
    ...fields,
  };
}

/** Consecutive frames from the line `from`, after any empty lines. `end` is the index of the first line after them. */
export function readFrames(
  lines: readonly string[],
  from: number,
  frameOf: (line: string) => TraceFrame | null,
): { frames: TraceFrame[]; end: number } {
  const frames: TraceFrame[] = [];
  let end = from;
  for (; end < lines.length; end++) {
    const parsed = frameOf(lines[end]!);
    if (parsed !== null) frames.push(parsed);
    else if (!isBlank(lines[end]!) || frames.length > 0) break;
  }
  return { frames, end };
}

type Header = TypedMessage & { readonly framesAt: number };

/** Lines of a message before the first frame. */
const MAX_MESSAGE_LINES = 12;
/** Parts of a line before the type: `Game: Unbehandelte Ausnahme: System.Exception: text` has two. */
const MAX_PARTS = 4;
const EXCEPTION =
  /(?:Exception|Error|Fault|Failure|Throwable|Interrupt|Exit|Death|Panic|Crash|Overflow|Stop|Abort|Unwrap)\d?$/;

/**
 * The type and message of a line such as `Exception in thread "main" java.lang.Error: text`, `Uncaught (in promise)
 * TypeError: text` or `Unbehandelte Ausnahme: System.Exception: text`. Null if nothing in it looks like an exception.
 */
export function headerOf(line: string): TypedMessage | null {
  let rest = line.trim();
  for (let part = 0; part < MAX_PARTS; part++) {
    const [before, message] = splitFirst(rest, ': ') ?? [rest.replace(/:$/, ''), null];
    const type = before.slice(before.lastIndexOf(' ') + 1);
    if (isTypeName(type) && EXCEPTION.test(type)) return { type, message: (message ?? '').trim() };
    if (message === null) return null;
    rest = message;
  }
  return null;
}

/**
 * The header at the line `at`, if frames follow after its message. A line above frames that names no exception is a
 * message of unknown type, and frames whose header was cut off have an empty one.
 */
export function readHeader(
  lines: readonly string[],
  at: number,
  frameOf: (line: string, index: number) => TraceFrame | null,
): Header | null {
  const line = lines[at]!;
  const isFrame = (index: number) => index < lines.length && frameOf(lines[index]!, index) !== null;
  if (isBlank(line)) return null;
  if (isFrame(at)) return { type: '', message: '', framesAt: at };
  const header = headerOf(line);
  if (header === null) {
    if (!isFrame(at + 1)) return null;
    // The end of a frame that was cut off isn't a message.
    if (/:\d{1,9}\)$/.test(line) || (line.includes(')') && !line.includes('('))) return null;
    const typed = typedMessage(line);
    return typed?.type.includes('.')
      ? { ...typed, framesAt: at + 1 }
      : { type: '', message: line.trim(), framesAt: at + 1 };
  }
  for (let next = at + 1; next < Math.min(lines.length, at + 1 + MAX_MESSAGE_LINES); next++) {
    if (isFrame(next)) return { ...header, framesAt: next };
    if (headerOf(lines[next]!) !== null) return null;
  }
  return null;
}
