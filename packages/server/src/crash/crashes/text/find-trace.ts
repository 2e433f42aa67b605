// Finds the report of an error in a text: the message of a report, the value of a key in its metadata, or the end of a
// log. The text is split into lines without what loggers put before each. Each format is then asked whether a report of
// it begins at a line, in one pass.
import { redactUserPaths } from '@chauffeur/contract/home-folders';
import { cutTo, toPrintable } from '@chauffeur/minidump/signature/printable';
import { readIps } from './formats/apple.ts';
import { FORMATS } from './formats.ts';
import { TRACE_LIMITS, type Trace, type TraceException, type TraceFrame } from './trace.ts';

/**
 * Of a message, the first report counts, and of a log the last one: what came before it did not end the program. One
 * that ended it counts before any other. A report with frames counts before one without.
 */
type Choice = 'first' | 'last';

/** The report in the text, limited in size; null if there is none. Takes time linear in the length of the text. */
export function findTrace(text: string, choice: Choice): Trace | null {
  return findTracedText(text, choice)?.trace ?? null;
}

/** The same with the lines that it was read from, without prefixes of loggers. */
export function findTracedText(text: string, choice: Choice): TracedText | null {
  const ips = readIps(text.trimStart());
  return ips === null ? findInLines(linesOf(text), choice) : { text, trace: limitTrace(ips) };
}

/** The report in lines that `linesOf` returns. */
export function findTraceInLines(lines: readonly string[], choice: Choice): Trace | null {
  return findInLines(lines, choice)?.trace ?? null;
}

function findInLines(lines: readonly string[], choice: Choice): TracedText | null {
  let best: { trace: Trace; at: number; end: number } | null = null;
  for (let at = 0; at < lines.length; ) {
    const found = lines[at] === '' ? null : readAt(lines, at);
    // A format that read nothing new would read the same line forever.
    const end = Math.max(at + 1, found?.end ?? 0);
    if (found !== null && isBetter(found.trace, best?.trace ?? null, choice)) best = { trace: found.trace, at, end };
    at = end;
  }
  return best === null ? null : { text: lines.slice(best.at, best.end).join('\n'), trace: limitTrace(best.trace) };
}

function readAt(lines: readonly string[], at: number): { trace: Trace; end: number } | null {
  for (const format of FORMATS) {
    const reading = format.read(lines, at);
    if (reading === null) continue;
    const { end, related = [], ...read } = reading;
    return { trace: { format: format.name, ...read, related }, end };
  }
  return null;
}

function isBetter(trace: Trace, best: Trace | null, choice: Choice): boolean {
  if (best === null) return true;
  const [rank, bestRank] = [rankOf(trace, choice), rankOf(best, choice)];
  return rank > bestRank || (rank === bestRank && choice === 'last');
}

/** In a log, an error that was only reported is not the cause of the end, even if it has frames. */
function rankOf({ isFatal, main }: Trace, choice: Choice): number {
  const [fatal, traced] = choice === 'last' ? [2, 1] : [1, 2];
  return (main.frames.length > 0 ? traced : 0) + (isFatal ? fatal : 0);
}

/** The trace as it is stored: with bounded lists and texts. */
export function limitTrace(trace: Trace): Trace {
  return {
    ...trace,
    main: limitedException(trace.main),
    related: trace.related
      .slice(0, TRACE_LIMITS.related)
      .map(({ relation, ...exception }) => ({ relation, ...limitedException(exception) })),
  };
}

function limitedException({ type, message, frames }: TraceException): TraceException {
  return {
    type: nameOf(type),
    message: cutTo(
      toPrintable(redactUserPaths(message.slice(0, 4 * TRACE_LIMITS.messageLength))),
      TRACE_LIMITS.messageLength,
    ),
    frames: frames.slice(0, TRACE_LIMITS.frames).map(limitedFrame),
  };
}

export function limitedFrame(frame: TraceFrame): TraceFrame {
  return {
    ...frame,
    function: nameOrNull(frame.function),
    module: nameOrNull(frame.module),
    path: nameOrNull(frame.path === null ? null : redactUserPaths(frame.path)),
    offset: nameOrNull(frame.offset),
    file: nameOrNull(frame.file === null ? null : redactUserPaths(frame.file)),
  };
}

function nameOf(text: string): string {
  return cutTo(toPrintable(text.slice(0, 4 * TRACE_LIMITS.nameLength)), TRACE_LIMITS.nameLength);
}

function nameOrNull(text: string | null): string | null {
  return text === null ? null : nameOf(text) || null;
}

export const TEXT_LIMITS = {
  /** Characters of a line; the rest of a longer one is dropped. */
  lineLength: 1024,
  /** Characters of a text; of a longer one, the end is read. */
  characters: 512 * 1024,
  /** Lines of a message with its metadata, or of the end of a log. */
  lines: 4000,
} as const;

/** Terminal colors and other escape sequences. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it removes control characters
const ESCAPES = /\x1b\[[\d;]{0,20}[A-Za-z]|\x1b\][^\x07\x1b]{0,200}\x07/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above; tabs indent frames and stay
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f\ufeff\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The last lines of the text, without prefixes of loggers, colors and trailing spaces. */
export function linesOf(whole: string): string[] {
  const text = whole.slice(-TEXT_LIMITS.characters);
  const broken = text.includes('\n') || text.includes('\r') ? text : unescapeBreaks(text);
  return broken
    .split(/\r\n|\n|\r|\u2028|\u2029/)
    .slice(-TEXT_LIMITS.lines)
    .map((line) =>
      withoutPrefix(line.slice(0, TEXT_LIMITS.lineLength).replace(ESCAPES, '').replace(CONTROLS, '').trimEnd()),
    );
}

/** Some clients send the breaks of a stack as the two characters `\n`. */
function unescapeBreaks(text: string): string {
  // If the text has one line, `\t` is rather part of a path, such as `C:\tools`.
  if (!text.includes('\\n')) return text;
  return text.replace(/\\r\\n|\\n/g, '\n').replaceAll('\\t', '\t');
}

/** What loggers put before a line. The first that matches is removed, so a line costs a constant number of passes. */
const PREFIXES: readonly { readonly match: RegExp; readonly hasLevel?: boolean }[] = [
  // Android: `01-31 12:00:00.123  1234  1234 E Unity   : `, `01-31 12:00:00.123 F/DEBUG   ( 1234): `, `E/Unity ( 99):
  // `, `E/Unity: `.
  { match: /^(?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d\.\d{3,9} {1,8}\d{1,7} {1,8}\d{1,7} [VDIWEFA] [^:]{0,40}: ?/ },
  { match: /^(?:(?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d\.\d{3,9} {1,8})?[VDIWEFA]\/[^(:]{0,40}(?:\( {0,6}\d{1,7}\))?: ?/ },
  // Unreal: `[2024.01.31-12.00.00:123][ 42]LogWindows: Error: `.
  {
    match:
      /^\[\d{4}\.\d\d\.\d\d-\d\d\.\d\d\.\d\d:\d{3}\]\[[ \d]{1,5}\](?:Log\w{1,40}: )?(?:(?:Display|Error|Fatal|Warning|Verbose): ?)?/,
  },
  // syslog, journald and Apple's: `Jan 31 12:00:00 host game[99]: `.
  { match: /^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S{1,100} [^\s:]{1,100}: ?/ },
  // Everything else that begins with a time: `[12:00:00] [main/ERROR]: `, `2024-01-31T12:00:00.123Z ERROR game: `.
  {
    match:
      /^\[?(?:\d{4}[-/.]\d\d[-/.]\d\d[T ,_-]?)?\d\d[:.]\d\d[:.]\d\d(?:[.,:]\d{1,9})?(?:Z| ?[+-]\d\d:?\d\d)?\]?[ \t|:-]{0,4}(?=\S|\s|$)/,
    hasLevel: true,
  },
  { match: /^E \d{1,4}:\d\d:\d\d[:.]\d{1,9} {1,4}/ },
];
/**
 * What follows a time: a level, a thread, or a logger. Words in lower case may begin the text itself: `Fatal error!`.
 */
const LEVEL_NAMES = 'TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|FATAL|CRITICAL|SEVERE';
const BRACKETED = new RegExp(`^\\[(?:[^\\]/]{0,60}/)?(?:${LEVEL_NAMES})\\](?: ?\\[[^\\]]{0,60}\\])?:?[ \\t]{0,3}`, 'i');
const BARE = new RegExp(`^(?:${LEVEL_NAMES})\\b(?: \\[[^\\]]{0,60}\\]| [\\w.]{1,60}(?=:))?[ \\t]{0,3}[:|-]?[ \\t]?`);

/** The line without the time, level, process and the like that a logger puts first. Frames keep their indentation. */
function withoutPrefix(line: string): string {
  // Only these characters begin a prefix, and most lines begin with others.
  if (!/^[[\dA-Z]/.test(line)) return line;
  for (const { match, hasLevel = false } of PREFIXES) {
    const found = match.exec(line);
    if (found === null) continue;
    const rest = line.slice(found[0].length);
    return hasLevel ? rest.replace(BRACKETED, '').replace(BARE, '') : rest;
  }
  return line.replace(BRACKETED, '');
}

type ReportText = { readonly message: string; readonly metadata: Readonly<Record<string, unknown>> };

/** Keys that clients use for a stack, without regard to case, spaces, `_`, `-` and `.`. They are read first. */
const STACK_KEYS = [
  ...['stack', 'stacktrace', 'callstack', 'traceback', 'backtrace', 'errorstack', 'exceptionstack', 'trace'],
  ...['exception', 'error', 'panic', 'crash', 'errormessage', 'details', 'report', 'log'],
];
/** Characters of all values that are read. JSON reports have far less. */
const MAX_CHARACTERS = 256 * 1024;

/** A trace, and the text in which it is. */
export type TracedText = { readonly text: string; readonly trace: Trace };

/**
 * The trace with frames in the message, or in the message and the value of a key: an error and its stack are often sent
 * apart. Null if neither has one. What players wrote is never read.
 */
export function traceOfReport(report: ReportText): Trace | null {
  return tracedTextOf(report)?.trace ?? null;
}

/** The same trace, and the text in which it is. */
export function tracedTextOf({ message, metadata }: ReportText): TracedText | null {
  const ofMessage = message === '' ? null : findTrace(message, 'first');
  if (ofMessage !== null && hasFrames(ofMessage)) return { text: message, trace: ofMessage };
  let left = MAX_CHARACTERS;
  for (const value of stackValues(metadata)) {
    left -= value.length + message.length;
    if (left < 0) break;
    const text = message === '' ? value : `${message}\n${value}`;
    const trace = findTrace(text, 'first');
    if (trace !== null && hasFrames(trace)) return { text, trace };
  }
  return null;
}

export function hasFrames(trace: Trace | null): boolean {
  return trace !== null && trace.main.frames.length > 0;
}

/** The values of known keys, in their order, then all values with several lines. */
function stackValues(metadata: ReportText['metadata']): string[] {
  const values = new Map<string, string>();
  const others: string[] = [];
  for (const [key, value] of Object.entries(metadata)) {
    // The server's own notes are not errors of the game.
    if (typeof value !== 'string' || key.startsWith('chauffeur_')) continue;
    const folded = key.toLowerCase().replace(/[\s_.-]/g, '');
    if (STACK_KEYS.includes(folded)) values.set(folded, value);
    else if (value.includes('\n') || value.includes('\\n')) others.push(value);
  }
  return [...STACK_KEYS.flatMap((key) => values.get(key) ?? []), ...others];
}
