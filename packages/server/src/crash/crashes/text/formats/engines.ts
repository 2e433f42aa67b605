// Reports that engines write themselves: Unreal Engine, GameMaker and Unity.
import { after, isBlank, leadingNumber, locationOf, splitFirst, splitLast } from '../line-parsers.ts';
import { nameSignal, nativeFrame, nativeRest } from '../native-frames.ts';
import { shownFile } from '../source-names.ts';
import {
  frame,
  readFrames,
  type TextFormat,
  type TraceException,
  type TraceFrame,
  type TraceReading,
} from '../trace.ts';
import { dotnetMethodOf } from './dotnet.ts';

/** Lines between what happened and the first frame. */
const MAX_UNREAL_BETWEEN = 14;

type Named = Pick<TraceException, 'type' | 'message'>;

/** Fatal errors, failed assertions and ensures with their call stack, from a log or the crash reporter. */
export const unreal: TextFormat = {
  name: 'Unreal Engine',
  read(lines, at) {
    const first = withoutLevel(lines[at]!);
    let named = eventOf(first, withoutLevel(lines[at + 1] ?? ''));
    if (named === null && !isCritical(first) && unrealCallOf(first) === null) return null;
    let next = named === null && !isCritical(first) ? at : at + 1;
    for (
      ;
      next < lines.length && next < at + MAX_UNREAL_BETWEEN && unrealCallOf(withoutLevel(lines[next]!)) === null;
      next++
    ) {
      // `Fatal error!` is followed by what happened.
      const later = eventOf(withoutLevel(lines[next]!), withoutLevel(lines[next + 1] ?? ''));
      named = named === null || named.type === 'Fatal error' ? (later ?? named) : named;
    }
    const frames: TraceFrame[] = [];
    let end = next;
    for (; end < lines.length; end++) {
      const parsed = unrealCallOf(withoutLevel(lines[end]!));
      if (parsed !== null) frames.push(parsed);
      else if (!isBlank(lines[end]!) || frames.length === 0) break;
      else if (unrealCallOf(withoutLevel(lines[end + 1] ?? '')) === null) break;
    }
    if (frames.length === 0 && named === null) return null;
    if (frames.length === 0) end = at + 1;
    const main = { ...(named ?? { type: 'Fatal error', message: '' }), frames: withoutReporter(frames) };
    return { isNative: true, isFatal: main.type !== 'Ensure', main, end };
  },
};

/** The frames that write the report are above the fault on Linux and macOS. */
function withoutReporter(frames: readonly TraceFrame[]): readonly TraceFrame[] {
  const last = frames.findLastIndex(({ function: name }) => REPORTER.test(name ?? ''));
  return frames.slice(last + 1);
}

const REPORTER = /^(?:F\w{0,40}(?:StackWalk|CrashContext)::|\w{0,40}CrashHandler\b)/;

/** The engine repeats the category: `LogWindows: Error: Fatal error!`; `appError called: …` on Linux. */
function withoutLevel(line: string): string {
  return line
    .trim()
    .replace(/^(?:Log\w{1,40}: ?)?(?:(?:Error|Fatal|Critical|Display|Warning): ?){0,2}/, '')
    .replace(/^appError called: /, '');
}

function isCritical(text: string): boolean {
  return /^=== (?:Critical error|Handled ensure): ===|^Fatal error!?$|^\[Callstack\]|^Signal \d{1,2} caught/.test(text);
}

/** What happened, from one line; a fatal error has its text on the next one. */
function eventOf(text: string, next: string): Named | null {
  const assertion = after(text, 'Assertion failed: ');
  if (assertion !== null) return { type: 'Assertion failed', message: withoutPlace(assertion) };
  const ensure = after(text, 'Ensure condition failed: ');
  if (ensure !== null) return { type: 'Ensure', message: withoutPlace(ensure) };
  const fatal = after(text, 'Fatal error: ') ?? after(text, 'LowLevelFatalError ');
  if (fatal !== null) {
    const inline = withoutPlace(fatal);
    return { type: 'Fatal error', message: inline === '' ? withoutPlace(next) : inline };
  }
  const unhandled = after(text, 'Unhandled Exception: ');
  if (unhandled !== null) return { type: unhandled.split(/[\s:]/, 1)[0]!, message: '' };
  if (/^Fatal error!$/.test(text) && next !== '' && !next.startsWith('[')) return null;
  return text === 'Fatal error!' ? { type: 'Fatal error', message: '' } : null;
}

/** Removes `[File:D:\build\Array.h] [Line: 674]`. */
function withoutPlace(text: string): string {
  const at = text.indexOf('[File:');
  if (at < 0) return text.trim();
  const rest = splitFirst(text.slice(at), '[Line:')?.[1] ?? '';
  const [, tail = ''] = splitFirst(rest, ']') ?? [];
  return `${text.slice(0, at).trim()} ${tail.trim()}`.trim();
}

/**
 * `[Callstack] 0x00007ff6 Owls.exe!AOwl::Tick() [C:\Owls\Owl.cpp:123]`, `[Callstack]  06  0x0000  AOwl::Tick()
 * [Owl.cpp, line 12]`, and `Owls!AOwl::Tick() [Owl.cpp:12]` of the crash reporter.
 */
function unrealCallOf(text: string): TraceFrame | null {
  const marked = after(text, '[Callstack]');
  let rest = (marked ?? text)
    .trim()
    .replace(/^\d{1,3} {1,4}/, '')
    .replace(/^0x[0-9a-f]{1,16} {1,4}/i, '');
  if (marked === null && !/^[\w.+-]{1,100}![^\s!]/.test(rest)) return null;
  if (rest === '' || /^0x[0-9a-f]{1,16}$/i.test(rest)) return marked === null ? null : nativeFrame({});
  // Linux: `/lib/libc.so.6(gsignal+0x38) [0x7f43]`.
  const library = /^(\/[^()]{1,300})\(([^()+]{0,300})\+?(0x[0-9a-f]{1,16})?\)/.exec(rest);
  if (library !== null)
    return nativeFrame({ module: library[1]!, function: library[2]! || null, offset: library[2] ? null : library[3] });
  const [call, place] = rest.endsWith(']') ? (splitLast(rest.slice(0, -1), ' [') ?? [rest, '']) : [rest, ''];
  rest = call;
  const [module, name] = /^[\w.+-]{1,100}!/.test(rest) ? splitFirst(rest, '!')! : [null, rest];
  const [file, line] = splitLast(place, ', line ') ?? splitLast(place, ':') ?? [null, ''];
  return nativeFrame({
    module,
    function: name.replace(/^UnknownFunction.{0,20}$/, ''),
    file,
    line: leadingNumber(line),
  });
}

/** Lines between the parts of a report. */
const MAX_HEAD = 12;

/** The report of the runner, with functions named after objects, events, scripts and rooms. */
export const gameMaker: TextFormat = {
  name: 'GameMaker',
  read(lines, at) {
    if (!isHead(lines[at]!)) {
      // The end of a report whose beginning was cut off.
      const first = gamemakerCallOf(lines[at]!);
      if (first === null || !lines[at]!.trimStart().startsWith('gml_')) return null;
      const { frames, end } = readCalls(lines, at);
      return readingOf('', frames, end);
    }
    let next = at + 1;
    while (next < lines.length && next < at + MAX_HEAD && isIntroduction(lines[next]!)) next += 1;
    let message = '';
    let culprit: TraceFrame | null = null;
    for (; next < lines.length && next < at + 2 * MAX_HEAD; next++) {
      const line = lines[next]!.trim();
      culprit = after(line, 'at ') === null ? null : gamemakerCallOf(line);
      if (culprit !== null || isRuler(line) || gamemakerCallOf(line) !== null) break;
      if (message === '' && line !== '') message = line;
    }
    if (culprit !== null) next += 1;
    const { frames, end } = readCalls(lines, next);
    const isRepeated = culprit !== null && frames[0]?.function === culprit.function;
    return readingOf(message, culprit === null || isRepeated ? frames : [culprit, ...frames], end);
  },
};

function readingOf(message: string, frames: readonly TraceFrame[], end: number): TraceReading {
  return { isNative: false, isFatal: true, main: { type: 'GameMaker error', message, frames }, end };
}

/** `FATAL ERROR in action number 1` and `ERROR in`, with `action number 1` on the next line. */
function isHead(line: string): boolean {
  const text = line.trim().replace(/^ERROR!!! :: /, '');
  return /^(?:FATAL )?ERROR in(?:$| *action number)/.test(text);
}

/** `action number 1`, `of  Step Event0`, `for object obj_player:`. */
function isIntroduction(line: string): boolean {
  const text = line.trim();
  return text === '' || /^(?:action number|of |for object )/.test(text);
}

function isRuler(line: string): boolean {
  return /^[#_-]{10}/.test(line);
}

function readCalls(lines: readonly string[], from: number): { frames: TraceFrame[]; end: number } {
  const frames: TraceFrame[] = [];
  let end = from;
  for (; end < lines.length; end++) {
    const line = lines[end]!.trim();
    if (isBlank(line) || isRuler(line) || line === 'stack frame is' || line === 'Stacktrace:') {
      // An empty line ends a stack, and may be before one.
      if (frames.length > 0) break;
      continue;
    }
    const call = gamemakerCallOf(line);
    if (call === null) break;
    frames.push(call);
  }
  return { frames, end };
}

/** `gml_Object_obj_player_Step_0 (line 12) -        hp -= 1`, also after `at `, `called from - ` and `-> `. */
function gamemakerCallOf(line: string): TraceFrame | null {
  const text = line.trimStart().replace(/^(?:at |called from - |-> )/, '');
  if (!text.startsWith('gml_')) return null;
  const [name, rest] = splitFirst(text, ' ') ?? [text, ''];
  const place = after(rest.trimStart(), '(line ');
  // Without a place, it may be the beginning of a sentence.
  if (place === null && rest.trim() !== '' && !rest.trim().startsWith('-')) return null;
  return frame({ function: stableName(name), line: place === null ? null : leadingNumber(place) });
}

/** Functions without a name have the position of their source in it: `gml_Script_anon@19178@Inventory`. */
function stableName(name: string): string {
  return name
    .replace(/:\d{1,7}$/, '')
    .replace(/@\d{1,9}(?=@|$)/g, '@')
    .replace(/_\d{4,12}(?=_|$)/g, '_');
}

/** Lines between the signal and the first frame. */
const MAX_UNITY_BETWEEN = 12;

/** A native crash in Player.log and Editor.log, on each OS. Exceptions of Unity are those of .NET. */
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
    while (next < lines.length && next < at + MAX_UNITY_BETWEEN && frameOf(lines[next]!) === null) next += 1;
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
    while (next < lines.length && next < at + MAX_UNITY_BETWEEN && !isReport(lines[next]!)) next += 1;
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
function readStacktrace(lines: readonly string[], at: number): TraceReading | null {
  if (lines[at]!.trim() !== 'Stacktrace:') return null;
  const { frames, end } = readFrames(lines, at + 1, (line) => {
    const called = after(line.trimStart(), 'at ');
    return managedFrame(line) ?? (called === null ? null : dotnetMethodOf(called, true));
  });
  const named = frames.filter((each) => each.function !== null);
  if (named.length === 0) return null;
  return { isNative: false, isFatal: true, main: { type: '', message: '', frames: named }, end };
}

/** Reads the frames of Mono after a heading. Returns null without one, or if none of its frames has a name. */
function readManaged(lines: readonly string[], from: number): { frames: TraceFrame[]; end: number } | null {
  let next = from;
  while (next < lines.length && next < from + MAX_UNITY_BETWEEN && !/^Managed Stacktrace:?$/i.test(lines[next]!.trim()))
    next += 1;
  if (next === lines.length || next === from + MAX_UNITY_BETWEEN) return null;
  const { frames, end } = readFrames(lines, next + 2, managedFrame);
  const named = frames.filter((each) => each.function !== null);
  return named.length === 0 ? null : { frames: named, end };
}

/** `at Owls.Player:Update (single) <0x0010b>`, and `at <unknown> <0xffffffff>` of native code. */
function managedFrame(line: string): TraceFrame | null {
  const found = /^\s{0,8}at (.{1,600}) <0x[0-9a-f]{1,16}>$/.exec(line);
  if (found === null) return null;
  const called = found[1]!;
  return dotnetMethodOf(called.endsWith(')') ? called : `${called}()`, false) ?? frame({ own: false });
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
