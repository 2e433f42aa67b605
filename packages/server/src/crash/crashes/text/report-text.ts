// Finds the texts of a report that may have a stack: its message, and values of its metadata.
import { findTrace } from './find-trace.ts';
import type { Trace } from './trace.ts';

type ReportText = { readonly message: string; readonly metadata: Readonly<Record<string, unknown>> };

/** Keys that clients use for a stack, without regard to case, spaces, `_`, `-` and `.`. They are read first. */
const STACK_KEYS = [
  ...['stack', 'stacktrace', 'callstack', 'traceback', 'backtrace', 'errorstack', 'exceptionstack', 'trace'],
  ...['exception', 'error', 'panic', 'crash', 'errormessage', 'details', 'report', 'log'],
];
/** Characters of all values that are read. JSON reports have far less. */
const MAX_CHARACTERS = 256 * 1024;

/**
 * The trace with frames in the message, or in the message and the value of a key: an error and its stack are often sent
 * apart. Null if neither has one. What players wrote is never read.
 */
export function traceOfReport({ message, metadata }: ReportText): Trace | null {
  const ofMessage = message === '' ? null : findTrace(message, 'first');
  if (hasFrames(ofMessage)) return ofMessage;
  let left = MAX_CHARACTERS;
  for (const value of stackValues(metadata)) {
    left -= value.length + message.length;
    if (left < 0) break;
    const found = findTrace(message === '' ? value : `${message}\n${value}`, 'first');
    if (hasFrames(found)) return found;
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
