// Finds the report of an error in a text: a message, the value of a key, or the end of a log.
import { cutTo, toPrintable } from '@chauffeur/minidump/signature/printable';
import { redactUserPaths } from '../report/paths.ts';
import { readIps } from './formats/apple.ts';
import { FORMATS } from './formats.ts';
import { linesOf } from './lines.ts';
import { TRACE_LIMITS, type Trace, type TraceException, type TraceFrame } from './trace.ts';

/**
 * Of a message, the first report counts, and of a log the last one: what came before it did not end the program. One
 * that ended it counts before any other. A report with frames counts before one without.
 */
export type Choice = 'first' | 'last';

/** The report in the text, limited in size; null if there is none. Takes time linear in the length of the text. */
export function findTrace(text: string, choice: Choice): Trace | null {
  const ips = readIps(text.trimStart());
  if (ips !== null) return limited(ips);
  const lines = linesOf(text);
  let best: Trace | null = null;
  for (let at = 0; at < lines.length; ) {
    const found = lines[at] === '' ? null : readAt(lines, at);
    if (found !== null && isBetter(found.trace, best, choice)) best = found.trace;
    // A format that read nothing new would read the same line forever.
    at = Math.max(at + 1, found?.end ?? 0);
  }
  return best === null ? null : limited(best);
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

function limited(trace: Trace): Trace {
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

function limitedFrame(frame: TraceFrame): TraceFrame {
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
