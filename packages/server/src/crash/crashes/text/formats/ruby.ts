// cspell:ignore abrt bugreport cfunc libruby sendish
// Errors of Ruby, and of RPG Maker XP, VX and VX Ace, which name the section of the script editor.
import {
  after,
  isBlank,
  isTypeName,
  leadingNumber,
  locationOf,
  splitFirst,
  splitLast,
  type TypedMessage,
} from '../line-parsers.ts';
import { nativeFrame } from '../native-frames.ts';
import { qualify, shownFile } from '../source-names.ts';
import {
  frame,
  type RelatedException,
  readFrames,
  type TextFormat,
  type TraceException,
  type TraceFrame,
} from '../trace.ts';

export const rpgMaker: TextFormat = {
  name: 'RPG Maker',
  read(lines, at) {
    // `Script 'Game_Player' line 123: NoMethodError occurred.`, which compatible players spell differently.
    const text = lines[at]!.trim();
    const rest = after(text, "Script '") ?? after(text, 'Script "');
    const [section, tail] = rest === null ? ['', ''] : (splitFirst(rest, text[7]!) ?? ['', '']);
    const found = /^ line (\d{1,7}): ([\w:]{1,100}) occur{1,2}ed\.?(.{0,1000})$/.exec(tail);
    if (section === '' || found === null) return null;
    let end = at + 1;
    let message = found[3]!.trim();
    while (message === '' && end < lines.length && end < at + 4) message = lines[end++]!.trim();
    const own = frame({ function: section, file: section, line: Number(found[1]) });
    const calls = readCalls(lines, end);
    const main = { type: found[2]!, message, frames: calls.frames.length === 0 ? [own] : calls.frames };
    return { isNative: false, isFatal: true, main, end: calls.end };
  },
};

/**
 * What scripts for RPG Maker XP and VX write to `errorlog.txt`: an exception, a message and a backtrace with labels.
 */
export const rpgMakerLog: TextFormat = {
  name: 'RPG Maker',
  read(lines, at) {
    const type = after(lines[at]!.trim(), 'Exception: ');
    const first = after((lines[at + 1] ?? '').trim(), 'Message: ');
    if (type === null || first === null || !isTypeName(type)) return null;
    const isHeading = (line: string) => line.trim() === 'Backtrace:';
    let next = at + 2;
    while (next < lines.length && next < at + MAX_MESSAGE_LINES && !isHeading(lines[next]!)) next += 1;
    if (next >= lines.length || !isHeading(lines[next]!)) return null;
    // The set of scripts may be in brackets before the section, which is numbered there.
    const sectionCall = (line: string) =>
      /:in [`']/.test(line) ? callOf(line.trim().replace(/^\[[^\]]{1,40}\] /, ''), true) : null;
    const { frames, end } = readFrames(lines, next + 1, sectionCall);
    return { isNative: false, isFatal: true, main: { type, message: first, frames }, end };
  },
};

export const ruby: TextFormat = {
  name: 'Ruby',
  read(lines, at) {
    const reversed = readReversed(lines, at);
    const first = reversed ?? readException(lines, at);
    if (first === null) return null;
    // The causes of an exception follow it, each below what it led to.
    const chain = [first];
    for (let next = first.end; next < lines.length && chain.length < MAX_CAUSES; next = chain.at(-1)!.end) {
      const cause = readException(lines, next);
      if (cause === null) break;
      chain.push(cause);
    }
    const [main, ...outer] = chain.toReversed().map(({ end: _, ...exception }) => exception);
    const related = outer.map((each): RelatedException => ({ ...each, relation: 'consequence' }));
    return { isNative: false, isFatal: true, main: main!, related, end: chain.at(-1)!.end };
  },
};

const MAX_CAUSES = 8;
/** Lines of a message, the line of the source with a mark below it, and suggestions. */
const MAX_MESSAGE_LINES = 8;

type Exception = TraceException & { readonly end: number };

/** An exception, and the calls below it. */
function readException(lines: readonly string[], at: number): Exception | null {
  const text = lines[at]!.trim();
  const head = headOf(text);
  const first = head === null ? null : callOf(text);
  if (head === null || first === null) return null;
  let next = at + 1;
  while (next < lines.length && next <= at + MAX_MESSAGE_LINES && !isCall(lines[next]!)) {
    // That is the cause.
    if (callOf(lines[next]!.trim()) !== null) break;
    next += 1;
  }
  const isCalled = next < lines.length && isCall(lines[next]!);
  const calls = isCalled ? readCalls(lines, next) : { frames: [], end: at + 1 };
  return { ...head, frames: [first, ...calls.frames], end: calls.end };
}

/** `game.rb:12:in 'update': undefined method 'x' for nil (NoMethodError)`. Of several lines, the first has the type. */
function headOf(text: string): TypedMessage | null {
  if (text.endsWith(': unhandled exception')) return { type: 'RuntimeError', message: '' };
  const [before, after] = splitLast(text, ' (') ?? ['', ''];
  const type = after.slice(0, -1);
  if (!after.endsWith(')') || !isTypeName(type)) return null;
  const called = splitFirst(before, ':in ')?.[1];
  // A name without quotes is mruby's.
  const end = called === undefined || !/^[`']/.test(called) ? ': ' : "': ";
  return { type, message: splitFirst(called ?? before, end)?.[1] ?? '' };
}

function isCall(line: string): boolean {
  const text = line.trim();
  return headOf(text) === null && callOf(after(text, 'from ') ?? text) !== null;
}

/** In a terminal, Ruby 2.5 to 2.7 wrote the calls first, the outermost one above all others, as mruby does. */
function readReversed(lines: readonly string[], at: number): Exception | null {
  if (!/^(?:Traceback|trace) \(most recent call last\)/.test(lines[at]!.trim())) return null;
  const { frames, end } = readFrames(lines, at + 1, (line) => {
    const call = /^\s{0,20}(?:\d{1,6}: from|\[\d{1,6}\]) (.{1,600})$/.exec(line)?.[1];
    return call === undefined ? null : callOf(call);
  });
  const last = end < lines.length && end > at + 1 ? readException(lines, end) : null;
  if (last === null) return null;
  // mruby also lists the innermost one.
  const calls = frames.toReversed();
  const [first] = last.frames;
  const isListed = calls[0]?.function === first?.function && calls[0]?.line === first?.line;
  return { ...last, frames: [...last.frames, ...calls.slice(isListed ? 1 : 0)] };
}

/** The interpreter's own end: `game.rb:12: [BUG] Segmentation fault at 0x0000000000000007`. */
export const rubyBug: TextFormat = {
  name: 'Ruby crash',
  read(lines, at) {
    const [before, what] = splitFirst(lines[at]!.trim(), '[BUG] ') ?? ['', ''];
    const place = locationOf(before.replace(/: $/, ''));
    if (what === '' || (before !== '' && place.line === null && !/^\S{1,300}: $/.test(before))) return null;
    const { ruby: calls, native, end } = readSections(lines, at + 1);
    const own = place.line === null ? [] : [frame({ file: shownFile(place.file), line: place.line })];
    const type = BUG_SIGNALS.find(([start]) => what.startsWith(start))?.[1];
    const main = {
      type: type ?? 'Ruby [BUG]',
      message: type === undefined ? what : '',
      frames: [...native, ...(calls.length > 0 ? calls : own)],
    };
    return { isNative: false, isFatal: true, main, end };
  },
};

const BUG_SIGNALS: readonly (readonly [start: string, type: string])[] = [
  ['Segmentation fault', 'SIGSEGV'],
  ['Bus Error', 'SIGBUS'],
  ['Illegal instruction', 'SIGILL'],
  ['Aborted', 'SIGABRT'],
];
/** C functions between the signal and Ruby's interpreter. */
const MAX_NATIVE = 16;

/** Reads the sections below the version, which have a heading and end with an empty line. */
function readSections(lines: readonly string[], from: number) {
  const sections = new Map<string, string[]>();
  let section = '';
  let end = from;
  for (; end < lines.length; end++) {
    const text = lines[end]!.trim();
    const heading = /^-- (.{1,60}?) (?:information )?-{2,100}$/.exec(text)?.[1];
    if (heading !== undefined) {
      section = heading;
      sections.set(section, []);
    } else if (section === 'Other runtime' || text.includes('[BUG] ')) break;
    else if (section !== '') sections.get(section)?.push(text);
    // The version and an empty line come before the first section.
    else if (end > from + 3 || !/^(?:ruby [\d.]{1,12}.{0,100}|)$/.test(text)) break;
  }
  const read = (name: string, parse: (line: string) => TraceFrame | null) =>
    (sections.get(name) ?? []).map(parse).filter((each) => each !== null);
  const ruby = read('Ruby level backtrace', (line) => callOf(line.replace(/:in unknown method$/, ':in ')));
  const native = read('C level backtrace', nativeCallOf);
  // The functions that write the report are above the signal, and the interpreter is below what it called. Without a
  // signal, the list was cut within the former.
  const signal = native.findLastIndex(({ function: name }) => WRITERS.test(name ?? ''));
  const called = signal < 0 ? [] : native.slice(signal + 1);
  const interpreter = called.findIndex(({ function: name }) => INTERPRETER.test(name ?? ''));
  const kept = called.slice(0, Math.min(MAX_NATIVE, interpreter < 0 ? MAX_NATIVE : interpreter));
  return { ruby: ruby.toReversed(), native: kept, end };
}

const WRITERS =
  /^(?:rb_print_backtrace|rb_vm_bugreport|rb_bug\w{0,30}|rb_assert_failure\w{0,20}|bug_report\w{0,30}|sig(?:segv|bus|ill|abrt)|check_(?:stack_overflow|reserved_signal_?)|__restore_rt|__kernel_rt_sigreturn|_sigtramp)$/;
const INTERPRETER = /^(?:rb_)?(?:vm_(?:call|exec|invoke|sendish)\w{0,40}|call_cfunc\w{0,20}|invoke_block\w{0,40})$/;

/** `/usr/lib/libruby.so.3.1(rb_bug+0xf0) [0x7fdc2202a7f0] error.c:821`, and the line of macOS. */
function nativeCallOf(text: string): TraceFrame | null {
  const found =
    /^(?:\d{1,4} {1,4})?(\S.{0,300}?)(?:\(([^()+]{0,200})(?:\+0x[0-9a-f]{1,16})?\))?(?: \[0x[0-9a-f]{1,16}\])(?: .{1,300})?$/.exec(
      text,
    );
  const mac = /^\d{1,4} {1,6}(\S{1,100}) {1,60}0x[0-9a-f]{1,16} (\S{1,200}) \+ \d{1,12}$/.exec(text);
  const [, module, name] = mac ?? found ?? [];
  if (module === undefined || module.startsWith('[')) return null;
  return { ...nativeFrame({ module, function: name || null }), own: false };
}

function readCalls(lines: readonly string[], from: number): { frames: TraceFrame[]; end: number } {
  const frames: TraceFrame[] = [];
  let end = from;
  for (; end < lines.length; end++) {
    const text = lines[end]!.trim();
    if (isBlank(text) && frames.length === 0 && end < from + 3) continue;
    const parsed = isCall(text) ? callOf(after(text, 'from ') ?? text) : null;
    if (parsed === null) break;
    frames.push(parsed);
  }
  return { frames, end };
}

/** A section of the script editor by its number: `{0012}`, `Section012`, `012:Game_Player`. */
const SECTION = /^(?:\{\d{1,5}\}|Section\d{1,5}|\d{3}:.{1,100}|<\w{1,20}>)$/;

/** Code that is in no file: of the interpreter, of the command line, and of `eval`. */
const OTHER = /^(?:<internal:[\w./-]{1,100}>|-e|\((?:eval|irb)\b[^()]{0,300}\))$/;

/**
 * ``game.rb:12:in `update'``, `game.rb:12:in 'Player#update'`, and `{0012}:34:in …`. With `isSection`, the file is a
 * section of any name.
 */
function callOf(text: string, isSection = false): TraceFrame | null {
  const [place, rest] = splitFirst(text, ':in ') ?? [splitFirst(text, ': ')?.[0] ?? text, ''];
  const { file: path, line } = locationOf(place);
  const isKnown = isSection || path.endsWith('.rb') || ((SECTION.test(path) || OTHER.test(path)) && rest !== '');
  if (line === null || (/\s{2}|[()"]/.test(path) && !OTHER.test(path)) || !isKnown) return null;
  const name = /^[`']([^']{1,200})'/.exec(rest)?.[1] ?? /^([\w.#?!=]{1,200})(?=:|$)/.exec(rest)?.[1];
  // The numbers of sections change when one is added.
  const file = path.replace(/^\d{3}:/, '');
  return frame({
    function: name === undefined ? null : methodOf(name, file),
    file: isSection ? file : shownFile(file),
    line: leadingNumber(String(line)),
    own: !/\/(?:gems|rubygems)\/|\/lib\/ruby\/|^<internal:/.test(file),
  });
}

/** `block in Player#update` is in `Player#update`. */
function methodOf(name: string, file: string): string {
  const bare = name.replace(/^(?:(?:block|rescue|ensure)(?: \(\d{1,3} levels\))? in ){1,5}/, '');
  return /[#.:]/.test(bare) ? bare : qualify(bare.replace(/^<(.{1,50})>$/, '$1').replaceAll(' ', '_'), file);
}
