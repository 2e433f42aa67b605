// Tracebacks of Python, also those of Ren'Py's traceback.txt.
import { after, between, indentOf, isBlank, leadingNumber, splitFirst, typedMessage } from '../line-parsers.ts';
import { qualify, shownFile } from '../source-names.ts';
import {
  frame,
  headerOf,
  type RelatedException,
  readFrames,
  type TextFormat,
  type Trace,
  type TraceException,
  type TraceFrame,
  type TraceReading,
} from '../trace.ts';

const START =
  /^(?:Traceback \(most recent call last\):?|Full traceback:|-- Full Traceback -{5,200}|-- Traceback -{5,200}|While .{1,200}:)$/;
const DIRECT_CAUSE = 'The above exception was the direct cause of the following exception:';
const HANDLING = 'During handling of the above exception, another exception occurred:';
const MAX_CHAIN = 16;
/** What the interpreter writes when the process crashes. */
const FATAL = /^(Fatal Python error|Windows fatal exception): (.{1,300})$/;
/** Lines up to the thread that crashed, behind the frames of others. */
const MAX_THREADS = 400;
/** Lines of a group. */
const MAX_GROUP = 400;
const GROUP_START = '+ Exception Group Traceback (most recent call last):';

export const python: TextFormat = {
  name: 'Python',
  read(lines, at) {
    const line = lines[at]!.trim().replace(/^(?:Exception|Error) in .{1,100}: (?=Traceback)/, '');
    if (line === GROUP_START) return readGroup(lines, at);
    const fatal = FATAL.exec(line);
    if (fatal !== null) return readFatal(lines, at, { type: fatal[1]!, message: fatal[2]! });
    const isStart = START.test(line);
    if (!isStart && fileOf(lines[at]!) === null) return null;
    return readChain(lines, isStart ? at + 1 : at);
  },
};

export const renpy: TextFormat = {
  name: "Ren'Py",
  read(lines, at) {
    if (!lines[at]!.trimStart().startsWith("I'm sorry, but an uncaught exception occurred.")) return null;
    let start = at + 1;
    while (
      start < lines.length &&
      start < at + 6 &&
      fileOf(lines[start]!) === null &&
      !START.test(lines[start]!.trim())
    )
      start += 1;
    const short = readChain(lines, start < lines.length && START.test(lines[start]!.trim()) ? start + 1 : start);
    if (short === null) return null;
    // The same exception follows with the frames of the engine, which say no more.
    let end = short.end;
    const full = lines.slice(end, end + 6).findIndex((line) => line.trim().startsWith('-- Full Traceback'));
    if (full >= 0) end = readChain(lines, end + full + 1)?.end ?? end;
    return { ...short, isFatal: true, end };
  },
};

/** The innermost frame is the first one, unlike in a traceback. */
function readFatal(
  lines: readonly string[],
  at: number,
  named: Pick<TraceException, 'type' | 'message'>,
): TraceReading {
  let end = at + 1;
  while (
    end < lines.length &&
    end < at + MAX_THREADS &&
    !/^Current thread .{1,60} \(most recent call first\):$/.test(lines[end]!)
  )
    end += 1;
  const stack = end < lines.length ? readFrames(lines, end + 1, fileOf) : { frames: [], end: at + 1 };
  const isFound = stack.frames.length > 0;
  const main = { ...named, frames: stack.frames };
  return { isNative: false, isFatal: true, main, end: isFound ? stack.end : at + 1 };
}

/**
 * A group of exceptions of tasks that ran together, each with a margin, as often as groups are in groups. The first one
 * that has its own traceback counts.
 */
function readGroup(lines: readonly string[], at: number): TraceReading | null {
  let end = at;
  while (end < lines.length && end < at + MAX_GROUP && /^\s*[|+]/.test(lines[end]!)) end += 1;
  const block = lines.slice(at + 1, end);
  const first = block.findIndex((line) => /^\s*\| Traceback \(most recent call last\):$/.test(line));
  const group = readBehindMargin(block);
  const member = first < 0 ? null : readBehindMargin(block.slice(first + 1));
  if (member === null) return group === null ? null : { ...group, end };
  const outer = group === null ? [] : [{ ...group.main, relation: 'consequence' as const }];
  return { ...member, related: [...(member.related ?? []), ...outer], end };
}

function readBehindMargin(lines: readonly string[]): TraceReading | null {
  const end = lines.findIndex((line) => !/^\s*\|/.test(line));
  return readChain(
    lines.slice(0, end < 0 ? lines.length : end).map((line) => line.replace(/^\s*\| ?/, '')),
    0,
  );
}

function readChain(lines: readonly string[], from: number): TraceReading | null {
  const chain: { exception: TraceException; link: 'cause' | 'handling' | null }[] = [];
  let at = from;
  let link: 'cause' | 'handling' | null = null;
  while (chain.length < MAX_CHAIN) {
    const read = readOne(lines, at);
    if (read === null) break;
    chain.push({ exception: read.exception, link });
    at = read.end;
    const next = nextOf(lines, at);
    if (next === null) break;
    ({ link, at } = next);
  }
  return chain.length === 0 ? null : { isNative: false, isFatal: false, ...relate(chain), end: at };
}

/** The line after which the next traceback of the chain begins. */
function nextOf(lines: readonly string[], at: number): { link: 'cause' | 'handling'; at: number } | null {
  const index = lines.slice(at, at + 3).findIndex((line) => line.trim() === DIRECT_CAUSE || line.trim() === HANDLING);
  if (index < 0) return null;
  const link = lines[at + index]!.trim() === DIRECT_CAUSE ? 'cause' : 'handling';
  const start = lines.slice(at + index, at + index + 5).findIndex((line) => START.test(line.trim()));
  return start < 0 ? null : { link, at: at + index + start + 1 };
}

/** Frames, and the exception after them. The innermost frame is the last one. */
function readOne(lines: readonly string[], from: number): { exception: TraceException; end: number } | null {
  const frames: TraceFrame[] = [];
  let at = from;
  let indent = 0;
  for (; at < lines.length; at++) {
    const line = lines[at]!;
    const parsed = fileOf(line);
    if (parsed !== null) {
      frames.push(parsed);
      indent = indentOf(line);
      continue;
    }
    if (/^\s*\[Previous line repeated \d{1,7} more times?\]$/.test(line)) continue;
    // The source of the frame is indented more than the frame.
    if (frames.length > 0 && (indentOf(line) > indent || isBlank(line))) continue;
    break;
  }
  if (frames.length === 0) return null;
  const named = at < lines.length ? exceptionOf(lines[at]!) : null;
  return {
    exception: { ...(named ?? { type: '', message: '' }), frames: frames.reverse() },
    end: named === null ? at : at + 1,
  };
}

function exceptionOf(line: string): Pick<TraceException, 'type' | 'message'> | null {
  // `ScriptError: could not find label 'start'.`, `game.errors.NoLevel`.
  const typed = typedMessage(line);
  if (typed === null) return headerOf(line);
  return { type: typed.type.slice(typed.type.lastIndexOf('.') + 1), message: typed.message };
}

/** Standard library, packages and Ren'Py itself. */
const RUNTIME =
  /^<(?:frozen|string|stdin|__array_function__)|(?:^|[\\/])(?:site-packages|dist-packages|lib[\\/](?:py\w*\d[\w.]*[\\/])|python\d[\d.]*(?:\.zip)?[\\/]|renpy[\\/](?:common[\\/])?\w[\w\\/]*\.(?:pyx?|pyc|rpym?)$)/i;

/** `  File "game/script.rpy", line 12, in script call`. */
function fileOf(line: string): TraceFrame | null {
  const text = line.trimStart();
  if (after(text, 'File "') === null) return null;
  const path = between(text, '"', '"');
  const rest = path === null ? null : after(text.slice(path.length + 7), ', line ');
  if (path === null || rest === null || path === '') return null;
  const name = (splitFirst(rest, ', in ') ?? splitFirst(rest, ' in '))?.[1].trim() ?? '';
  return pythonFrame(name, path, leadingNumber(rest));
}

export function pythonFrame(name: string, path: string, line: number | null): TraceFrame {
  return frame({
    function: name === '' ? null : qualify(functionOf(name), path),
    file: shownFile(path),
    line,
    own: !RUNTIME.test(path),
  });
}

/** Ren'Py writes `script`, `script call` and `<module>` for its own language; Python 3.11 adds the class. */
function functionOf(name: string): string {
  const bare = name.slice(name.lastIndexOf('.') + 1);
  return /^<\w{1,30}>$/.test(bare) ? bare.slice(1, -1) : bare.replace(/\(.{0,200}$/, '').replaceAll(' ', '_');
}

/** A direct cause decides. An exception that was being handled did not end the program, so the later one decides. */
function relate(
  chain: readonly { exception: TraceException; link: 'cause' | 'handling' | null }[],
): Pick<Trace, 'main' | 'related'> {
  let mainAt = chain.length - 1;
  while (mainAt > 0 && chain[mainAt]!.link === 'cause') mainAt -= 1;
  const related = chain
    .map(
      ({ exception }, index): RelatedException => ({
        ...exception,
        relation: index > mainAt ? 'consequence' : 'handled',
      }),
    )
    .filter((_, index) => index !== mainAt);
  return { main: chain[mainAt]!.exception, related };
}
