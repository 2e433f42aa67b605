// cspell:ignore chcks hashcommon indexerrors integerops nims parseutils sequtils strutils syncio sysstr tableimpl
// Panics and unhandled errors of languages that are compiled to native code, and whose runtime prints its own stack:
// Rust, Go, Nim, Odin and Zig.
import { after, isBlank, isTypeName, type Location, locationOf, splitFirst, splitLast } from '../line-parsers.ts';
import { nativeFrame } from '../native-frames.ts';
import { qualify, shownFile } from '../source-names.ts';
import { frame, type TextFormat, type TraceException, type TraceFrame, type TraceReading } from '../trace.ts';

const MAX_RUST_MESSAGE_LINES = 8;

/** Panics of Rust, in the form before and since 1.73, with their backtrace. */
export const rust: TextFormat = {
  name: 'Rust',
  read(lines, at) {
    // `thread 'main' panicked at src/main.rs:12:5:`, or `panicked at` alone in a browser.
    const text = splitFirst(lines[at]!, 'panicked at ')?.[1];
    if (text === undefined) return null;
    const old = oldForm(text);
    const isNew = old === null && /:\d{1,7}:\d{1,7}:?$/.test(text);
    if (old === null && !isNew) return null;
    let next = at + 1;
    const place = old?.place ?? text.replace(/:$/, '');
    const message: string[] = old === null ? [] : [old.message];
    while (old === null && next < lines.length && next <= at + MAX_RUST_MESSAGE_LINES && !isEnd(lines[next]!))
      message.push(lines[next++]!);
    let end = next;
    while (end < lines.length && end < next + 4 && !isBacktrace(lines[end]!)) end += 1;
    const isTraced = end < lines.length && isBacktrace(lines[end]!);
    const calls = isTraced ? readRustCalls(lines, end + 1) : { frames: [], end: next };
    const main = { type: 'panic', message: message.join('\n').trim(), frames: calls.frames };
    // Without a backtrace, the place of the panic is all there is.
    if (calls.frames.length === 0) main.frames = [placed(place)];
    return { isNative: false, isFatal: true, main, end: calls.end };
  },
};

/** `'index out of bounds', src/main.rs:12:5`. */
function oldForm(text: string): { message: string; place: string } | null {
  if (!text.startsWith("'")) return null;
  const [message, place] = splitLast(text, "', ") ?? ['', ''];
  return /:\d{1,7}(?::\d{1,7})?$/.test(place) ? { message: message.slice(1), place } : null;
}

function placed(place: string): TraceFrame {
  const { file, line, column } = locationOf(place);
  return frame({ file: shownFile(file), line, column, own: isOwn('', file) });
}

function isEnd(line: string): boolean {
  return isBlank(line) || line.startsWith('note: ') || isBacktrace(line) || line.includes('panicked at ');
}

function isBacktrace(line: string): boolean {
  return line.trim() === 'stack backtrace:' || line.trim() === 'Stack:';
}

/** `   0: rust_begin_unwind`, and the place of each on the next line: `             at /rustc/…/panicking.rs:645:5`. */
function readRustCalls(lines: readonly string[], from: number): { frames: TraceFrame[]; end: number } {
  const frames: TraceFrame[] = [];
  let end = from;
  for (; end < lines.length; end++) {
    const text = lines[end]!.trim();
    const call = /^\d{1,4}: {1,4}(?:0x[0-9a-f]{1,16} - )?(.{1,900})$/.exec(text);
    const place = after(text, 'at ');
    if (call !== null) {
      const name = call[1]!;
      frames.push(rustFrame(name));
    } else if (place !== null && frames.length > 0) {
      frames.push(rustFrameAt(frames.pop()!, locationOf(place)));
    } else if (!/^\[\.\.\. omitted \d{1,4} frames? \.\.\.\]$/.test(text)) break;
  }
  return { frames, end };
}

/** A function as the compiler names it, before its place is known. */
export function rustFrame(name: string): TraceFrame {
  return { ...nativeFrame({ function: name }), own: isOwn(name, '') };
}

export function rustFrameAt(call: TraceFrame, { file, line, column }: Location): TraceFrame {
  return { ...call, file: shownFile(file), line, column, own: call.own && isOwn('', file) };
}

/** The standard library, and crates of the registry. */
function isOwn(name: string, file: string): boolean {
  if (/^\/?rustc\/|\/\.cargo\/|\\\.cargo\\|^library\/|\/rustlib\/|registry[\\/]src/.test(file)) return false;
  return !/^<?(?:std|core|alloc|rust_begin_unwind|rust_panic|__rust|bevy_\w{1,40}|bevy|tokio|winit|wgpu\w{0,10}|rayon\w{0,10}|macroquad|miniquad|ggez)(?:::|$)|^(?:rust_begin_unwind|__libc_start_main\w{0,30}|main|_start|start_thread|clone3?|BaseThreadInitThunk|RtlUserThreadStart|mainCRTStartup|WinMainCRTStartup|invoke_main|__scrt_common_main_seh|unknown|<unknown>)$/.test(
    name,
  );
}

const MAX_GO_BETWEEN = 10;

/** Panics and fatal errors of Go. */
export const go: TextFormat = {
  name: 'Go',
  read(lines, at) {
    const text = lines[at]!.trim();
    const panic = after(text, 'panic: ') ?? after(text, 'fatal error: ');
    if (panic === null) return null;
    let next = at + 1;
    while (next < lines.length && next < at + MAX_GO_BETWEEN && !/^goroutine \d{1,9} .{0,60}\[/.test(lines[next]!))
      next += 1;
    if (next >= lines.length || !lines[next]!.startsWith('goroutine ')) return null;
    const frames: TraceFrame[] = [];
    let end = next + 1;
    for (; end < lines.length; end++) {
      const line = lines[end]!.trim();
      if (isBlank(line)) break;
      const place = /^(.{1,400}\.(?:go|s|c)):(\d{1,7})/.exec(line);
      if (place !== null && frames.length > 0) {
        frames.push(goFrameAt(frames.pop()!, place[1]!, Number(place[2])));
        continue;
      }
      const name = goNameOf(line);
      if (name === null) break;
      frames.push(goFrame(name));
    }
    const [kind, rest] = splitFirst(panic, 'runtime error: ') ?? ['', panic];
    const main = {
      type: kind === '' && rest !== panic ? 'runtime error' : text.startsWith('panic') ? 'panic' : 'fatal error',
      message: rest.replace(/ \[recovered\]$/, ''),
      frames,
    };
    return { isNative: false, isFatal: true, main, end };
  },
};

/** A function with its package, such as `main.(*Game).Update`, before its place is known. */
export function goFrame(name: string): TraceFrame {
  const own = !/^(?:runtime|panic|syscall|reflect|sync|net\/http|testing|internal)\b/.test(name);
  return frame({ function: name, own });
}

export function goFrameAt(call: TraceFrame, file: string, line: number | null): TraceFrame {
  const isLibrary = /\/(?:src\/runtime|pkg\/mod|vendor)\/|\/go\/src\//.test(file);
  return { ...call, file: shownFile(file), line, own: call.own && !isLibrary };
}

/** `main.(*Game).Update(0xc000, {0x1, 0x2})`, `created by main.main in goroutine 1`, and `panic({0x1?, 0x2?})`. */
function goNameOf(line: string): string | null {
  const created = after(line, 'created by ');
  if (created !== null) return splitFirst(created, ' in goroutine')?.[0] ?? created;
  const called = line.endsWith(')') ? splitLast(line, '(')?.[0] : undefined;
  if (called === undefined || called === '' || /\s/.test(called)) return null;
  return stableGoName(called);
}

/** Removes the folders of the package, and the numbers of closures. */
export function stableGoName(name: string): string {
  return name
    .slice(name.lastIndexOf('/') + 1)
    .replace(/\.func\d[\d.]{0,20}$/, '.func')
    .replace(/\[\.\.\.\]/, '');
}

/** Lines of a message. Its type is at the end of the last one. */
const MAX_NIM_MESSAGE_LINES = 8;

/** Unhandled exceptions and signals of Nim, with their traceback if the build has one. */
export const nim: TextFormat = {
  name: 'Nim',
  read(lines, at) {
    const text = lines[at]!.trim();
    // Python's header ends with a colon.
    const isHeader = /^Traceback (?:from system )?\(most recent call last(?:, using override)?\)$/.test(text);
    if (!isHeader && nimFrameOf(lines[at]!) === null) return readError(lines, at, []);
    const { frames, end } = readNimCalls(lines, isHeader ? at + 1 : at);
    if (frames.length === 0) return null;
    frames.reverse();
    // A stack without an error, such as from `writeStackTrace`.
    const stack: TraceReading = { isNative: false, isFatal: false, main: { type: '', message: '', frames }, end };
    return (end < lines.length ? readError(lines, end, frames) : null) ?? stack;
  },
};

function readError(lines: readonly string[], at: number, frames: readonly TraceFrame[]): TraceReading | null {
  const text = lines[at]!.trim();
  const signal = /^(SIG[A-Z]{2,6}): (?:Illegal|Abnormal|Arithmetic) /.exec(text)?.[1];
  if (signal !== undefined) return readingOf({ type: signal, message: '', frames }, at + 1);
  const first = after(text, 'Error: unhandled exception: ');
  if (first === null) return null;
  const message = [first];
  for (let end = at; end < lines.length && end < at + MAX_NIM_MESSAGE_LINES; end++) {
    if (end > at) message.push(lines[end]!);
    const [last, tail] = splitLast(message.at(-1)!, ' [') ?? ['', ''];
    const type = tail.endsWith(']') ? tail.slice(0, -1) : '';
    if (isTypeName(type))
      return readingOf({ type, message: [...message.slice(0, -1), last].join('\n').trim(), frames }, end + 1);
  }
  return readingOf({ type: 'Exception', message: first, frames }, at + 1);
}

function readingOf({ type, message, frames }: TraceException, end: number): TraceReading {
  // A failed assertion begins with its place: `/src/owls/nest.nim(16, 3) `owl != nil` `.
  const [place, path, line, rest] = /^(\S.{0,300}\.nim)\((\d{1,7}), \d{1,5}\) (.{0,900})$/.exec(message) ?? [];
  if (place === undefined) return { isNative: false, isFatal: true, main: { type, message, frames }, end };
  const asserted = frame({ file: shownFile(path!), line: Number(line), own: !NIM_LIBRARY.test(path!) });
  const main = { type, message: rest!.trim(), frames: frames.length === 0 ? [asserted] : frames };
  return { isNative: false, isFatal: true, main, end };
}

function readNimCalls(lines: readonly string[], from: number): { frames: TraceFrame[]; end: number } {
  const frames: TraceFrame[] = [];
  let end = from;
  for (; end < lines.length; end++) {
    const parsed = nimFrameOf(lines[end]!);
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
function nimFrameOf(line: string): TraceFrame | null {
  const found = /^([^\s"][^"]{0,300}\.nims?)\((\d{1,7})\) {1,40}(?:at )?((?:module )?[^\s`]{1,200})$/.exec(line.trim());
  if (found === null || line.startsWith('Error: ')) return null;
  const [, file = '', lineOf, name = ''] = found;
  return frame({
    function: qualify(nimNameOf(name), file),
    file: shownFile(file),
    line: Number(lineOf),
    own: !NIM_LIBRARY.test(file),
  });
}

/** A builder of closures for `async`, anonymous functions, and a module's own code. */
function nimNameOf(name: string): string {
  if (/:?anonymous$/.test(name)) return 'lambda';
  return name.replace(/^module .{1,100}$/, 'module').replace(/NimAsyncContinue$|^.{1,100}\.(?=\w{1,100}$)/g, '');
}

/** The standard library, which older builds name without a folder, and packages. */
const NIM_LIBRARY =
  /[\\/]lib[\\/](?:arch|core|impure|js|posix|pure|std|system|windows)[\\/]|[\\/]lib[\\/]system\.nim$|[\\/]\.?nimble[\\/]|[\\/]pkgs2?[\\/]|^(?:alloc|arc|assertions|async\w{1,20}|chcks|excpt|fatal|gc|hashcommon|indexerrors|integerops|io|iterators|json|options|orc|os|parseutils|sequtils|strutils|syncio|sysstr|system|tableimpl|tables)\.nim$/;

/** `nest.odin(12:5) text`, or `nest.odin:12:5: text` of builds with `-error-pos-style:unix`. */
const PLACED = /^([^\s"(][^"(]{0,300}\.odin)(?:\((\d{1,7}(?::\d{1,5})?)\)|:(\d{1,7}(?::\d{1,5})?):) (.{1,900})$/;
/** What the runtime says. The compiler's own errors look like these, and begin with other words. */
const CHECK = /^(?:Index -?\d|Invalid (?:slice|dynamic array|type assertion|map)\b|Matrix indices \[)/;

/** Failed checks, assertions and panics of Odin, which have the location of the check and no other frames. */
export const odin: TextFormat = {
  name: 'Odin',
  read(lines, at) {
    const [, file, inParentheses, unix, text = ''] = PLACED.exec(lines[at]!.trim()) ?? [];
    if (file === undefined) return null;
    const [, type = 'Odin error', message = text] =
      /^(runtime assertion|unsatisfied ensure|panic|not yet implemented)(?:: (.{1,900}))?$/i.exec(text) ?? [];
    if (type === 'Odin error' && !CHECK.test(text)) return null;
    const { line, column } = locationOf(`${file}:${inParentheses ?? unix}`);
    const own = !/[\\/]odin[^\\/]{0,60}[\\/](?:base|core|vendor)[\\/]/i.test(file);
    const main = {
      type,
      message: message === type ? '' : message,
      frames: [frame({ file: shownFile(file), line, column, own })],
    };
    return { isNative: false, isFatal: true, main, end: at + 1 };
  },
};

/** Lines of the source and of marks below them, between two frames. */
const MAX_ZIG_BETWEEN = 4;

/** Panics, signals and unhandled errors of Zig, with the frames of debug builds. */
export const zig: TextFormat = {
  name: 'Zig',
  read(lines, at) {
    const text = lines[at]!.trim();
    // `thread 4711 panic: text`; single-threaded builds leave out the thread.
    const threaded = /^(?:thread \d{1,20} panic|panic\([^()]{1,60}\)): (.{1,900})$/.exec(text)?.[1];
    const isTraced = at + 1 < lines.length && zigFrameOf(lines[at + 1]!) !== null;
    if (threaded === undefined && !isTraced) return null;
    const message = threaded ?? after(text, 'panic: ');
    const error = /^error: (\w{1,200})$/.exec(text)?.[1];
    const signal = signalOf(message ?? text);
    if (signal === null && message === null && error === undefined) return null;
    const { frames, end } = readTrace(lines, at + 1);
    const named = error === undefined ? { type: 'panic', message: message ?? '' } : { type: error, message: '' };
    const main = { ...(signal === null ? named : { type: signal, message: '' }), frames };
    return { isNative: false, isFatal: true, main, end };
  },
};

const SIGNALS: readonly (readonly [start: string, type: string])[] = [
  ['Segmentation fault at address ', 'SIGSEGV'],
  ['General protection exception', 'SIGSEGV'],
  ['Illegal instruction at address ', 'SIGILL'],
  ['Bus error at address ', 'SIGBUS'],
  ['Arithmetic exception at address ', 'SIGFPE'],
];

function signalOf(text: string): string | null {
  return SIGNALS.find(([start]) => text.startsWith(start))?.[1] ?? null;
}

/** Each frame is followed by a line of its source and a mark in it, if they could be read. */
function readTrace(lines: readonly string[], from: number): { frames: TraceFrame[]; end: number } {
  const frames: TraceFrame[] = [];
  let end = from;
  for (let next = from; next < lines.length && next < end + MAX_ZIG_BETWEEN; next++) {
    const parsed = zigFrameOf(lines[next]!);
    if (parsed === null) continue;
    frames.push(parsed);
    end = next + 1;
  }
  return { frames, end };
}

/** `/src/owls/nest.zig:48:34: 0x2484f5 in land (owls)`, and `???:?:?: 0x2 in ??? (???)`. */
function zigFrameOf(line: string): TraceFrame | null {
  const found = /^(\S.{0,400}):(?:\d{1,7}|\?):(?:\d{1,7}|\?): 0x[0-9a-f]{1,16} in (.{1,300}) \(.{1,300}\)$/.exec(line);
  if (found === null) return null;
  const [, path = '', name = ''] = found;
  if (path === '???') return frame({ function: name === '???' ? null : name, own: false });
  const { line: lineOf, column } = locationOf(line.slice(0, line.indexOf(': 0x', path.length)));
  const stable = name.replace(/__(?:anon|struct|enum|union)_\d{1,9}/g, '');
  return frame({
    function: path.endsWith('.zig') ? qualify(stable, path) : stable,
    file: shownFile(path),
    line: lineOf,
    column,
    own: !ZIG_LIBRARY.test(path),
  });
}

/** The standard library, and packages in the cache. C code of the OS is known by its folder. */
const ZIG_LIBRARY =
  /[\\/]std[\\/].{0,200}\.zig$|[\\/]compiler_rt[\\/.]|[\\/]\.?cache[\\/]zig[\\/]p[\\/]|^\/(?:usr|build|sysdeps)\/|^\.\.\/sysdeps\//;
