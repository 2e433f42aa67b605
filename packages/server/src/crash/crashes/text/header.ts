// Finds the line that names an exception above its frames, whatever a runtime or a logger writes before it.
import { isBlank, isTypeName, splitFirst, type TypedMessage, typedMessage } from './scan.ts';
import type { TraceFrame } from './trace.ts';

export type Header = TypedMessage & { readonly framesAt: number };

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
