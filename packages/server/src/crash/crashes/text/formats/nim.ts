// cspell:ignore chcks hashcommon indexerrors integerops nims parseutils sequtils strutils syncio sysstr tableimpl
// Unhandled exceptions and signals of Nim, with their traceback if the build has one.
import { after, isTypeName, splitLast } from '../scan.ts';
import { qualify, shownFile } from '../source-names.ts';
import { frame, type Reading, type TextFormat, type TraceException, type TraceFrame } from '../trace.ts';

/** Lines of a message. Its type is at the end of the last one. */
const MAX_MESSAGE_LINES = 8;

export const nim: TextFormat = {
  name: 'Nim',
  read(lines, at) {
    const text = lines[at]!.trim();
    // Python's header ends with a colon.
    const isHeader = /^Traceback (?:from system )?\(most recent call last(?:, using override)?\)$/.test(text);
    if (!isHeader && frameOf(lines[at]!) === null) return readError(lines, at, []);
    const { frames, end } = readCalls(lines, isHeader ? at + 1 : at);
    if (frames.length === 0) return null;
    frames.reverse();
    // A stack without an error, such as from `writeStackTrace`.
    const stack: Reading = { isNative: false, isFatal: false, main: { type: '', message: '', frames }, end };
    return (end < lines.length ? readError(lines, end, frames) : null) ?? stack;
  },
};

function readError(lines: readonly string[], at: number, frames: readonly TraceFrame[]): Reading | null {
  const text = lines[at]!.trim();
  const signal = /^(SIG[A-Z]{2,6}): (?:Illegal|Abnormal|Arithmetic) /.exec(text)?.[1];
  if (signal !== undefined) return readingOf({ type: signal, message: '', frames }, at + 1);
  const first = after(text, 'Error: unhandled exception: ');
  if (first === null) return null;
  const message = [first];
  for (let end = at; end < lines.length && end < at + MAX_MESSAGE_LINES; end++) {
    if (end > at) message.push(lines[end]!);
    const [last, tail] = splitLast(message.at(-1)!, ' [') ?? ['', ''];
    const type = tail.endsWith(']') ? tail.slice(0, -1) : '';
    if (isTypeName(type))
      return readingOf({ type, message: [...message.slice(0, -1), last].join('\n').trim(), frames }, end + 1);
  }
  return readingOf({ type: 'Exception', message: first, frames }, at + 1);
}

function readingOf({ type, message, frames }: TraceException, end: number): Reading {
  // A failed assertion begins with its place: `/src/owls/nest.nim(16, 3) `owl != nil` `.
  const [place, path, line, rest] = /^(\S.{0,300}\.nim)\((\d{1,7}), \d{1,5}\) (.{0,900})$/.exec(message) ?? [];
  if (place === undefined) return { isNative: false, isFatal: true, main: { type, message, frames }, end };
  const asserted = frame({ file: shownFile(path!), line: Number(line), own: !LIBRARY.test(path!) });
  const main = { type, message: rest!.trim(), frames: frames.length === 0 ? [asserted] : frames };
  return { isNative: false, isFatal: true, main, end };
}

function readCalls(lines: readonly string[], from: number): { frames: TraceFrame[]; end: number } {
  const frames: TraceFrame[] = [];
  let end = from;
  for (; end < lines.length; end++) {
    const parsed = frameOf(lines[end]!);
    if (parsed !== null) frames.push(parsed);
    // These lines are in a recursion, and around the frames before an `await`.
    else if (
      frames.length === 0 ||
      !/^(?:\(\d{1,9} calls omitted\) ?\.{3}|\[\[reraised from:|\]\])$/.test(lines[end]!.trim())
    )
      break;
  }
  return { frames, end };
}

/** `/src/owls/nest.nim(16)  land`, innermost last, and `nest.nim(16) at owls.land` of builds for browsers. */
function frameOf(line: string): TraceFrame | null {
  const found = /^([^\s"][^"]{0,300}\.nims?)\((\d{1,7})\) {1,40}(?:at )?((?:module )?[^\s`]{1,200})$/.exec(line.trim());
  if (found === null || line.startsWith('Error: ')) return null;
  const [, file = '', lineOf, name = ''] = found;
  return frame({
    function: qualify(nameOf(name), file),
    file: shownFile(file),
    line: Number(lineOf),
    own: !LIBRARY.test(file),
  });
}

/** A builder of closures for `async`, anonymous functions, and a module's own code. */
function nameOf(name: string): string {
  if (/:?anonymous$/.test(name)) return 'lambda';
  return name.replace(/^module .{1,100}$/, 'module').replace(/NimAsyncContinue$|^.{1,100}\.(?=\w{1,100}$)/g, '');
}

/** The standard library, which older builds name without a folder, and packages. */
const LIBRARY =
  /[\\/]lib[\\/](?:arch|core|impure|js|posix|pure|std|system|windows)[\\/]|[\\/]lib[\\/]system\.nim$|[\\/]\.?nimble[\\/]|[\\/]pkgs2?[\\/]|^(?:alloc|arc|assertions|async\w{1,20}|chcks|excpt|fatal|gc|hashcommon|indexerrors|integerops|io|iterators|json|options|orc|os|parseutils|sequtils|strutils|syncio|sysstr|system|tableimpl|tables)\.nim$/;
