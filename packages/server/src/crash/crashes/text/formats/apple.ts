// Crash reports of macOS and iOS: the text of .crash, the JSON of .ips, and an uncaught NSException in the console; and
// failures of Swift on any OS.
import { after, isBlank, locationOf, splitFirst, splitLast } from '../line-parsers.ts';
import { nativeFrame, splitPlace, withoutDistance } from '../native-frames.ts';
import { shownFile } from '../source-names.ts';
import { frame, readFrames, type TextFormat, TRACE_LIMITS, type Trace, type TraceFrame } from '../trace.ts';

const MAX_HEAD = 120;

export const appleCrash: TextFormat = {
  name: 'Apple crash report',
  read(lines, at) {
    const type = after(lines[at]!.trim(), 'Exception Type:')?.trim();
    if (type === undefined || type === '') return null;
    let message = '';
    let next = at + 1;
    let start = -1;
    for (; next < lines.length && next < at + MAX_HEAD; next++) {
      const text = lines[next]!.trim();
      if (after(text, 'Exception Type:') !== null) break;
      if (/^(?:Application Specific Information|Last Exception Backtrace|Thread \d{1,4}.{0,200} Crashed):/.test(text)) {
        if (text.startsWith('Application')) message = (lines[next + 1] ?? '').trim();
        else if (start < 0) start = next + 1;
      }
      if (start > 0) break;
    }
    const { frames, end } = start < 0 ? { frames: [], end: at + 1 } : readFrames(lines, start, appleFrame);
    return { isNative: true, isFatal: true, main: { type: typeOf(type), message, frames }, end };
  },
};

/** `EXC_BAD_ACCESS (SIGSEGV)`: the signal follows from the exception. */
function typeOf(text: string): string {
  const [name, signal] = splitFirst(text, ' (') ?? [text, ''];
  return name === 'EXC_CRASH' ? `EXC_CRASH / ${signal.replace(/\)$/, '')}` : name;
}

/** `3   Owls   0x0000000104 -[Player move:] + 12 (Player.m:34)`, and `0x104 0x100 + 123` without a name. */
function appleFrame(line: string): TraceFrame | null {
  const found = /^\d{1,4} {1,8}([^\t]{1,100}?)[ \t]{1,60}0x([0-9a-f]{6,16}) (.{1,800})$/.exec(line.trim());
  if (found === null) return null;
  const [, module, , rest] = found;
  const bare = /^0x[0-9a-f]{1,16} \+ (\d{1,12})/.exec(rest!);
  if (bare !== null) return nativeFrame({ module: module!, offset: `0x${Number(bare[1]).toString(16)}` });
  const { name, place } = splitPlace(rest!);
  return nativeFrame({ module: module!, function: withoutDistance(name), ...place });
}

export const nsException: TextFormat = {
  name: 'Objective-C exception',
  read(lines, at) {
    const text = splitFirst(lines[at]!, "uncaught exception '")?.[1];
    if (text === undefined || !lines[at]!.includes('Terminating app')) return null;
    const [type, rest] = splitFirst(text, "'") ?? [text, ''];
    const message = (after(rest, ", reason: '") ?? '').replace(/'$/, '');
    let next = at + 1;
    while (next < lines.length && next < at + 6 && appleFrame(lines[next]!) === null) next += 1;
    const { frames, end } = readFrames(lines, next, appleFrame);
    const main = { type: type.trim() || 'NSException', message, frames };
    return { isNative: true, isFatal: true, main, end: Math.max(end, at + 1) };
  },
};

type Ips = {
  exception?: { type?: unknown; signal?: unknown };
  faultingThread?: unknown;
  threads?: unknown;
  lastExceptionBacktrace?: unknown;
  usedImages?: unknown;
  asi?: unknown;
};

/** Characters; JSON.parse takes time and memory in proportion. */
const MAX_JSON = 2_000_000;

/** The JSON of an .ips file, of which the first line is a separate header. Null if the text is none. */
export function readIps(text: string): Trace | null {
  const start = text.indexOf('\n{');
  if (
    !text.startsWith('{"') ||
    start < 0 ||
    text.length > MAX_JSON ||
    !/"(?:bug_type|app_name)"/.test(text.slice(0, start))
  )
    return null;
  let body: Ips;
  try {
    body = JSON.parse(text.slice(start)) as Ips;
  } catch {
    return null;
  }
  const images = listOf(body.usedImages);
  const thread = listOf(body.threads)[Number(body.faultingThread)] as { frames?: unknown } | undefined;
  const thrown = listOf(body.lastExceptionBacktrace);
  const frames = (thrown.length > 0 ? thrown : listOf(thread?.frames)).slice(0, TRACE_LIMITS.frames);
  const asi = Object.values((body.asi ?? {}) as Record<string, unknown>).flatMap(listOf);
  const type = textOf(body.exception?.type) || 'Crash';
  const main = {
    type: typeOf(type === 'EXC_CRASH' ? `${type} (${textOf(body.exception?.signal)})` : type),
    message: textOf(asi[0]),
    frames: frames.map((each) => ipsFrame(each as Record<string, unknown>, images)),
  };
  return { format: appleCrash.name, isNative: true, isFatal: true, main, related: [] };
}

function ipsFrame(each: Record<string, unknown> | null, images: readonly unknown[]): TraceFrame {
  const image = images[Number(each?.imageIndex)] as { name?: unknown; path?: unknown } | undefined;
  const name = textOf(each?.symbol);
  const offset = Number(each?.imageOffset);
  return nativeFrame({
    function: name || null,
    module: textOf(image?.path) || textOf(image?.name) || null,
    offset: name === '' && Number.isSafeInteger(offset) ? `0x${offset.toString(16)}` : null,
    file: textOf(each?.sourceFile) || null,
    line: Number.isSafeInteger(each?.sourceLine) ? (each?.sourceLine as number) : null,
  });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 1000) : '';
}

const KINDS = ['Fatal error', 'Precondition failed', 'Assertion failed', 'Unexpectedly found nil'] as const;

/** Runtime failures of Swift, before and since 5.4, with the frames that it prints on Linux and Windows. */
export const swift: TextFormat = {
  name: 'Swift',
  read(lines, at) {
    const line = lines[at]!.trim();
    const found = KINDS.map((kind) => ({ kind, index: line.indexOf(kind) })).find(({ index }) => index >= 0);
    if (found === undefined || found.index > 300) return null;
    const rest = line.slice(found.index + found.kind.length).replace(/^: /, '');
    // `Fatal error: text: file Owls/Player.swift, line 12`, or `Owls/Player.swift:12: Fatal error: text`.
    const [message, place] =
      splitLast(rest, ': file ') ?? (rest.startsWith('file ') ? ['', rest.slice(5)] : [rest, '']);
    const old = splitFirst(place, ', line ');
    const before = line.slice(0, found.index).replace(/: $/, '');
    const [path, number] = old ?? splitLast(before, ':') ?? ['', ''];
    const file = path.slice(path.lastIndexOf(' ') + 1);
    if (!file.endsWith('.swift') || !/^\d{1,7}$/.test(number.trim())) return null;
    const { frames, end } = readStack(lines, at + 1);
    const main = { type: found.kind, message: message.trim() };
    // The place is often in the standard library, such as for an index that is out of range, and so are the first
    // frames.
    const own = frames.slice(frames.findIndex((each) => each.own));
    if (own[0]?.own) return { isNative: true, isFatal: true, main: { ...main, frames: own }, end };
    const only = frame({ file: shownFile(file), line: Number(number) });
    return { isNative: false, isFatal: true, main: { ...main, frames: [only] }, end };
  },
};

/** What the runtime prints before the frames. */
const HEAD =
  /^(?:\*\*\* |\u{1f4a3} |Program crashed:|Platform: |Current stack trace:|Thread \d{1,5}\b.{0,200} crashed:)/u;

/** The frames that follow, with an excerpt of the source below each. */
function readStack(lines: readonly string[], from: number): { frames: TraceFrame[]; end: number } {
  const frames: TraceFrame[] = [];
  let end = from;
  for (let next = from; next < lines.length; next++) {
    const line = lines[next]!.trim();
    const parsed = runtimeFrame(line) ?? appleFrame(line);
    if (parsed !== null) {
      frames.push(parsed);
      end = next + 1;
    } else if (!isBlank(line) && !line.includes('\u2502') && (frames.length > 0 || !HEAD.test(line))) break;
  }
  return { frames, end };
}

/** `2 [ra] [inlined] 0x55d0c4a2f1b0 Nest.land(at:) + 80 in Owls at /src/Nest.swift:31:20`. */
function runtimeFrame(line: string): TraceFrame | null {
  const start = /^\d{1,4}(?: \[\w{1,20}\]){0,4} {1,20}0x[0-9a-f]{1,16} /.exec(line);
  if (start === null) return null;
  const [called, place] = splitLast(line.slice(start[0].length), ' at /') ?? [line.slice(start[0].length), null];
  const [name, module] = splitLast(called, ' in ') ?? ['', ''];
  if (module === '' || module.includes(' ')) return null;
  const isSystem = start[0].includes('[system]');
  const location = place === null || place.startsWith('<') ? {} : locationOf(`/${place}`);
  const read = nativeFrame({ function: withoutDistance(name), module, ...location });
  return isSystem ? { ...read, own: false } : read;
}
