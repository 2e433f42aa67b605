// Unity's report of a native crash in Player.log and Editor.log, on each OS, and that of Mono. Its exceptions are those
// of .NET.
import { nameSignal, nativeFrame, nativeRest } from '../native-frames.ts';
import { after, isBlank, leadingNumber, locationOf, splitFirst, splitLast } from '../scan.ts';
import { shownFile } from '../source-names.ts';
import { frame, type Reading, readFrames, type TextFormat, type TraceFrame } from '../trace.ts';
import { methodOf } from './dotnet.ts';

/** Lines between the signal and the first frame. */
const MAX_BETWEEN = 12;

export const unityCrash: TextFormat = {
  name: 'Unity crash',
  read(lines, at) {
    const text = lines[at]!.trim();
    // Linux and macOS: `Caught fatal signal - signo:11 code:1 errno:0 addr:(nil)`.
    const signal = after(text, 'Caught fatal signal - signo:') ?? after(text, 'Receiving unhandled NULL exception');
    const isWindows = /^={10,20} OUTPUTTING STACK TRACE =/.test(text);
    const caught = /^Got an? (\w{1,30}) while executing native code\. This usually indicates/.exec(text)?.[1];
    const isMono = text === 'Native stacktrace:' || caught !== undefined;
    if (signal === null && !isWindows && !isMono) return null;
    if (caught !== undefined) {
      const managed = readManaged(lines, at + 1);
      if (managed !== null) {
        const main = { type: caught === 'UNKNOWN' ? 'Crash' : caught, message: '', frames: managed.frames };
        return { isNative: false, isFatal: true, main, end: managed.end };
      }
    }
    let next = at + 1;
    while (next < lines.length && next < at + MAX_BETWEEN && frameOf(lines[next]!) === null) next += 1;
    const frames: TraceFrame[] = [];
    for (; next < lines.length; next++) {
      const line = lines[next]!.trim();
      if (line === '' || line.startsWith('ERROR: SymGet')) continue;
      if (/^={10,20} END OF STACKTRACE/.test(line)) {
        next += 1;
        break;
      }
      const parsed = frameOf(line);
      if (parsed === null) break;
      frames.push(parsed);
    }
    const number = signal === null ? null : leadingNumber(signal);
    const type =
      number === null ? (isMono && caught !== 'UNKNOWN' ? (caught ?? 'SIGSEGV') : 'Crash') : nameSignal(number);
    if (frames.length === 0 && !isWindows && signal === null) return null;
    const main = { type, message: '', frames };
    return { isNative: true, isFatal: true, main, end: next };
  },
};

/** Mono ends like this when it is broken itself, or was called in a wrong way. */
export const monoAssertion: TextFormat = {
  name: 'Mono',
  read(lines, at) {
    // `* Assertion at mini.c:2644, condition `ji' not met`, and `* Assertion: should not be reached at mini.c:12`.
    const text = after(lines[at]!.trim(), '* Assertion');
    if (text === null) return null;
    const condition =
      /^ at (.{1,300}:\d{1,7}), condition [`'](.{1,500})' not met(?:, function:(\w{1,100}),.{0,400})?$/.exec(text);
    const [place, message, name] = condition?.slice(1) ?? (splitLast(text, ' at ') ?? []).toReversed();
    if (place === undefined || message === undefined) return null;
    // The report of the crash that it caused.
    let next = at + 1;
    while (next < lines.length && next < at + MAX_BETWEEN && !isReport(lines[next]!)) next += 1;
    const crash = next < lines.length ? (readStacktrace(lines, next) ?? unityCrash.read(lines, next)) : null;
    const { file, line } = locationOf(place);
    const frames = crash?.main.frames ?? [frame({ function: name ?? null, file: shownFile(file), line, own: false })];
    const main = { type: 'Assertion failed', message: message.replace(/^: /, ''), frames };
    return { isNative: crash?.isNative ?? false, isFatal: true, main, end: crash?.end ?? at + 1 };
  },
};

function isReport(line: string): boolean {
  return /^(?:Stacktrace:|Native stacktrace:|Got an? \w{1,30} while executing native code\.)/.test(line.trim());
}

/** Reads a stack of Mono before 6, whose frames are those of exceptions, or end with an address. */
function readStacktrace(lines: readonly string[], at: number): Reading | null {
  if (lines[at]!.trim() !== 'Stacktrace:') return null;
  const { frames, end } = readFrames(lines, at + 1, (line) => {
    const called = after(line.trimStart(), 'at ');
    return managedFrame(line) ?? (called === null ? null : methodOf(called, true));
  });
  const named = frames.filter((each) => each.function !== null);
  if (named.length === 0) return null;
  return { isNative: false, isFatal: true, main: { type: '', message: '', frames: named }, end };
}

/** Of Mono, after a heading; null if there is none, or none of its frames has a name. */
function readManaged(lines: readonly string[], from: number): { frames: TraceFrame[]; end: number } | null {
  let next = from;
  while (next < lines.length && next < from + MAX_BETWEEN && !/^Managed Stacktrace:?$/i.test(lines[next]!.trim()))
    next += 1;
  if (next === lines.length || next === from + MAX_BETWEEN) return null;
  const { frames, end } = readFrames(lines, next + 2, managedFrame);
  const named = frames.filter((each) => each.function !== null);
  return named.length === 0 ? null : { frames: named, end };
}

/** `at Owls.Player:Update (single) <0x0010b>`, and `at <unknown> <0xffffffff>` of native code. */
function managedFrame(line: string): TraceFrame | null {
  const found = /^\s{0,8}at (.{1,600}) <0x[0-9a-f]{1,16}>$/.exec(line);
  if (found === null) return null;
  const called = found[1]!;
  return methodOf(called.endsWith(')') ? called : `${called}()`, false) ?? frame({ own: false });
}

/** `0x00007FFB1A2B3C4D (UnityPlayer) UnityMain`, `#3  0x00007f in abort`, `0   Owls  0x0000 main + 12`. */
function frameOf(line: string): TraceFrame | null {
  const text = line.trim();
  if (isBlank(text)) return null;
  const numbered = /^#\d{1,4} {1,4}0x[0-9a-f]{1,16} (?:in )?(.{1,900})$/i.exec(text);
  if (numbered !== null) return nativeRest(numbered[1]!);
  const windows = /^0x[0-9a-f]{8,16} \(([^)]{1,200})\) (.{1,900})$/i.exec(text);
  if (windows !== null) return windowsFrame(windows[1]!, windows[2]!);
  const [module, rest] = splitFirst(text.replace(/^\d{1,4} {1,6}/, ''), ' 0x') ?? ['', ''];
  const name = splitFirst(rest, ' ')?.[1];
  return /^\d/.test(text) && module.trim() !== '' && name !== undefined
    ? nativeFrame({ module: module.trim(), function: splitLast(name, ' + ')?.[0] ?? name })
    : null;
}

/** Managed frames are in a separate module: `(Mono JIT Code) [Player.cs:12] Player:Update ()`. */
function windowsFrame(module: string, rest: string): TraceFrame | null {
  if (module === 'Mono JIT Code') {
    const [place, name] = rest.startsWith('[') ? (splitFirst(rest.slice(1), '] ') ?? ['', rest]) : ['', rest];
    const [file, line] = splitFirst(place, ':') ?? [place, ''];
    const method = (splitFirst(name, '(')?.[0] ?? name)
      .trim()
      .replace(/^\(wrapper [\w-]{1,60}\) /, '')
      .replace(':', '.');
    return nativeFrame({ function: method, module: 'managed', file: file || null, line: leadingNumber(line) });
  }
  return nativeFrame({ module, function: rest.startsWith('(function-name not available)') ? null : rest });
}
