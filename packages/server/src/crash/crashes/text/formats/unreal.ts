// Unreal Engine: fatal errors, failed assertions and ensures, with their call stack, from a log or the crash reporter.
import { nativeFrame } from '../native-frames.ts';
import { after, isBlank, leadingNumber, splitFirst, splitLast } from '../scan.ts';
import type { TextFormat, TraceException, TraceFrame } from '../trace.ts';

/** Lines between what happened and the first frame. */
const MAX_BETWEEN = 14;

type Named = Pick<TraceException, 'type' | 'message'>;

export const unreal: TextFormat = {
  name: 'Unreal Engine',
  read(lines, at) {
    const first = withoutLevel(lines[at]!);
    let named = eventOf(first, withoutLevel(lines[at + 1] ?? ''));
    if (named === null && !isCritical(first) && callOf(first) === null) return null;
    let next = named === null && !isCritical(first) ? at : at + 1;
    for (; next < lines.length && next < at + MAX_BETWEEN && callOf(withoutLevel(lines[next]!)) === null; next++) {
      // `Fatal error!` is followed by what happened.
      const later = eventOf(withoutLevel(lines[next]!), withoutLevel(lines[next + 1] ?? ''));
      named = named === null || named.type === 'Fatal error' ? (later ?? named) : named;
    }
    const frames: TraceFrame[] = [];
    let end = next;
    for (; end < lines.length; end++) {
      const parsed = callOf(withoutLevel(lines[end]!));
      if (parsed !== null) frames.push(parsed);
      else if (!isBlank(lines[end]!) || frames.length === 0) break;
      else if (callOf(withoutLevel(lines[end + 1] ?? '')) === null) break;
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
function callOf(text: string): TraceFrame | null {
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
