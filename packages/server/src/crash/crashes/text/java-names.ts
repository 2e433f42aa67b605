// Finds the stacks of Java and Kotlin in the lines of a text, with the names as they are there, and writes the lines
// again with the names of the sources, so that they are read like any others.
import type { JavaFrame } from '@chauffeur/sentry/mappings/proguard';
import { CAUSE, MAX_FRAMES, moreOf, rawFrameOf } from './formats/java.ts';
import { indentOf, isTypeName } from './line-parsers.ts';
import { headerOf, TRACE_LIMITS } from './trace.ts';

/** Where a line may name the class of an exception. */
type Title = { readonly line: number; readonly start: number; readonly name: string };

/** Consecutive frames. */
export type StackOfText = {
  /** The lines of the frames: from the first one to the one after the last. */
  readonly from: number;
  readonly to: number;
  /** The likely ones first; one of them is the exception's. */
  readonly titles: readonly Title[];
  /** The innermost frames, with the frames that the text leaves out because another stack has them. */
  readonly frames: readonly JavaFrame[];
};

export type NamesOfSource = {
  readonly frames: readonly (readonly JavaFrame[])[];
  /** The names of the classes in `titles`. */
  readonly titles: readonly string[];
};

/** Frames of all stacks; forged texts may have more. */
const MAX_ALL_FRAMES = 512;
/** Lines above the frames: the exception and its message. */
const MAX_TITLE_LINES = 12;
/** Parts of a line before the class, such as of loggers. */
const MAX_PARTS = 4;

/** The stacks in the lines of a text that has no prefixes of loggers. */
export function javaStacksIn(lines: readonly string[]): StackOfText[] {
  const stacks: StackOfText[] = [];
  let total = 0;
  let enclosing: readonly JavaFrame[] = [];
  let endOfLast = 0;
  for (let at = 0; at < lines.length && total < MAX_ALL_FRAMES; at++) {
    const cause = causeTitleOf(lines, at);
    if (cause === null && javaFrameIn(lines[at]!) === null) continue;
    const from = cause === null ? at : endOfMessage(lines, at + 1);
    const { frames, to } = readStack(lines, from, cause === null ? [] : enclosing);
    const titles = cause ?? titlesAbove(lines, { from: endOfLast, to: from });
    stacks.push({ from, to, titles, frames: frames.slice(0, TRACE_LIMITS.frames) });
    total += stacks.at(-1)!.frames.length;
    enclosing = frames;
    endOfLast = to;
    at = to - 1;
  }
  return stacks;
}

function readStack(
  lines: readonly string[],
  from: number,
  enclosing: readonly JavaFrame[],
): { frames: JavaFrame[]; to: number } {
  const frames: JavaFrame[] = [];
  let to = from;
  for (; to < lines.length; to++) {
    const [frame, more] = [javaFrameIn(lines[to]!), moreOf(lines[to]!)];
    if (frame !== null) frames.push(frame);
    else if (more === null) break;
    else if (more > 0 && frames.length < MAX_FRAMES) frames.push(...enclosing.slice(-more));
  }
  return { frames, to };
}

function javaFrameIn(line: string): JavaFrame | null {
  const raw = rawFrameOf(line);
  if (raw === null) return null;
  const dot = raw.method.lastIndexOf('.');
  return {
    class: raw.method.slice(0, Math.max(0, dot)),
    method: raw.method.slice(dot + 1),
    file: raw.file,
    line: raw.line,
  };
}

/** The first line after the message of a cause. */
function endOfMessage(lines: readonly string[], from: number): number {
  const isMessage = (line: string) =>
    line.trim() !== '' && !CAUSE.test(line.trim()) && moreOf(line) === null && rawFrameOf(line) === null;
  let to = from;
  while (to < lines.length && isMessage(lines[to]!)) to += 1;
  return to;
}

/** The class in `Caused by: a.c: text`; null for any other line. */
function causeTitleOf(lines: readonly string[], at: number): Title[] | null {
  const line = lines[at]!;
  const rest = CAUSE.exec(line.trim())?.[2];
  return rest === undefined ? null : titlesOf(line, at, line.trimEnd().length - rest.length).slice(0, 1);
}

/** What may be the class above frames, the nearest line first, up to one that surely names an exception. */
function titlesAbove(lines: readonly string[], { from, to }: { from: number; to: number }): Title[] {
  const titles: Title[] = [];
  for (let at = to - 1; at >= Math.max(from, to - MAX_TITLE_LINES); at--) {
    const line = lines[at]!;
    const known = headerOf(line)?.type;
    if (known !== undefined) return [{ line: at, start: line.indexOf(known), name: known }, ...titles];
    titles.push(...titlesOf(line, at, THREAD.exec(line)?.[0].length ?? indentOf(line)));
  }
  return titles;
}

/** What the virtual machine writes first if nothing catches an exception. */
const THREAD = /^\s{0,40}Exception in thread ".{0,200}?" /;

/** The names before colons, and one at the end without a message: `a.c: text`, `Uncaught: a.c`. */
function titlesOf(line: string, at: number, from: number): Title[] {
  const titles: Title[] = [];
  for (let part = 0, start = from; part < MAX_PARTS && start < line.length; part++) {
    const colon = line.indexOf(': ', start);
    const text = line.slice(start, colon < 0 ? undefined : colon).replace(/:$/, '');
    const name = text.slice(text.lastIndexOf(' ') + 1);
    const isWhole = name === text;
    // Any word can be the new name of a class, so only the first one counts without its package.
    if (isTypeName(name) && (name.includes('.') ? isWhole || colon >= 0 : isWhole && part === 0))
      titles.push({ line: at, start: start + text.length - name.length, name });
    if (colon < 0) break;
    start = colon + 2;
  }
  return titles;
}

/** The lines with the names in the sources, of which there are some for each stack. Other lines stay as they are. */
export function withJavaNames(
  lines: readonly string[],
  stacks: readonly StackOfText[],
  names: readonly NamesOfSource[],
): string[] {
  const titled = withTitles(lines, stacks, names);
  const written: string[][] = [];
  let copied = 0;
  for (const [index, { from, to, frames }] of stacks.entries()) {
    const found = frames.map((frame, at) => names[index]?.frames[at] ?? [frame]);
    if (found.every((each, at) => each.length === 1 && isSame(each[0]!, frames[at]!))) continue;
    const changed = found.flatMap((each, at) => linesFor(each, frames[at]!));
    written.push(titled.slice(copied, from), changed.slice(0, TRACE_LIMITS.frames));
    copied = to;
  }
  return [...written.flat(), ...titled.slice(copied)];
}

/** The lines with the classes of the exceptions. */
function withTitles(
  lines: readonly string[],
  stacks: readonly StackOfText[],
  names: readonly NamesOfSource[],
): string[] {
  const titled = [...lines];
  for (const [index, { titles }] of stacks.entries()) {
    const found = names[index]?.titles ?? [];
    const renamed = titles.findIndex(({ name }, at) => (found[at] ?? name) !== name);
    const title = titles[renamed];
    if (title === undefined) continue;
    const { line, start, name } = title;
    titled[line] = `${lines[line]!.slice(0, start)}${found[renamed]}${lines[line]!.slice(start + name.length)}`;
  }
  return titled;
}

function isSame(one: JavaFrame, other: JavaFrame): boolean {
  return one.class === other.class && one.method === other.method && one.file === other.file && one.line === other.line;
}

/** A mapping can have names that no frame of a text has. The frame stays as it is then. */
function linesFor(frames: readonly JavaFrame[], sent: JavaFrame): string[] {
  const lines = frames.map(formatFrame);
  return lines.every((line) => rawFrameOf(line) !== null) ? lines : [formatFrame(sent)];
}

function formatFrame({ class: name, method, file, line }: JavaFrame): string {
  const call = `\tat ${name === '' ? method : `${name}.${method}`}`;
  const end = line === null ? '' : `:${line}`;
  const known = `${call}(${file}${end})`;
  return rawFrameOf(known) === null ? `${call}(Unknown Source${end})` : known;
}
