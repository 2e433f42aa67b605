// Ends of native programs that a runtime writes to its console: uncaught C++ exceptions, failed assertions, damaged
// heaps, sanitizers, and a debugger's or a handler's list of frames. Android writes them into tombstones.
import { after, between, leadingNumber, locationOf, splitFirst, splitLast } from '../line-parsers.ts';
import { nativeFrame, nativeRest, withoutDistance } from '../native-frames.ts';
import { shownFile } from '../source-names.ts';
import { frame, readFrames, type TextFormat, type TraceException, type TraceFrame } from '../trace.ts';

/** Lines between what happened and the first frame. */
const MAX_BETWEEN = 8;

type Named = Pick<TraceException, 'type' | 'message'> & { readonly place?: TraceFrame };

export const nativeAbort: TextFormat = {
  name: 'Native crash',
  read(lines, at) {
    const named = EVENTS.map((event) => event(lines[at]!.trim(), (lines[at + 1] ?? '').trim())).find(
      (each) => each !== null,
    );
    if (named === undefined) {
      if (nativeFrameOf(lines[at]!) === null) return null;
      const { frames, end } = readFrames(lines, at, nativeFrameOf);
      return { isNative: true, isFatal: true, main: { type: 'Crash', message: '', frames }, end };
    }
    let next = at + 1;
    while (next < lines.length && next < at + MAX_BETWEEN && nativeFrameOf(lines[next]!) === null) next += 1;
    const isTraced = next < lines.length && nativeFrameOf(lines[next]!) !== null;
    const calls = isTraced ? readFrames(lines, next, nativeFrameOf) : { frames: [], end: at + 1 };
    const { type, message, place } = named;
    const frames = calls.frames.length === 0 && place !== undefined ? [place] : calls.frames;
    return { isNative: true, isFatal: true, main: { type, message, frames }, end: calls.end };
  },
};

/** What a line, and the one after it, say about the end of the program. */
const EVENTS: readonly ((text: string, next: string) => Named | null)[] = [
  // libstdc++, with `  what():  text` on the next line.
  (text, next) => {
    const type = between(text, "terminate called after throwing an instance of '", "'");
    if (type !== null) return { type, message: (after(next, 'what():') ?? '').trim() };
    return text.startsWith('terminate called without an active exception')
      ? { type: 'std::terminate', message: '' }
      : null;
  },
  // libc++abi: `terminating due to uncaught exception of type std::runtime_error: text`.
  (text) => {
    const rest = splitFirst(text, 'uncaught exception of type ')?.[1];
    if (rest === undefined) return null;
    const [type, message] = splitFirst(rest, ': ') ?? [rest, ''];
    return { type, message };
  },
  // `==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x602 at pc 0x4f`.
  (text) => {
    const found = /^={2,5}\d{1,9}={2,5} ?(?:ERROR|WARNING): (\w{1,30}Sanitizer): (.{1,800})$/.exec(text);
    if (found === null) return null;
    return { type: `${found[1]}: ${found[2]!.split(/[\s(]/, 1)[0]}`, message: '' };
  },
  // `player.cpp:12:5: runtime error: signed integer overflow: …`.
  (text) => {
    const [place, message] = splitFirst(text, ': runtime error: ') ?? ['', ''];
    return message === '' || !/:\d{1,7}$/.test(place)
      ? null
      : { type: 'Undefined behavior', message, place: located(place) };
  },
  // glibc: `*** stack smashing detected ***: terminated`, `double free or corruption (out)`.
  (text) => {
    const found =
      /^(?:\*\*\* )?(?:Error in .{1,300}: )?(stack smashing detected|buffer overflow detected|double free or corruption(?: \(\S{1,20}\))?|free\(\): .{1,60}|malloc\(\): .{1,60}|realloc\(\): .{1,60}|munmap_chunk\(\): .{1,40}|corrupted (?:size vs\. prev_size|double-linked list)|malloc_consolidate\(\): .{1,60}|pure virtual method called)/.exec(
        text,
      );
    return found === null
      ? null
      : { type: 'SIGABRT', message: found[1]!.replace(/ \*\*\*.{0,30}$|: 0x[0-9a-f]{1,16}.{0,30}$/, '') };
  },
  // glibc `owls: player.cpp:12: void move(): Assertion \`x > 0' failed.`; macOS `Assertion failed: (x > 0), function
  // move, file player.cpp, line 12.`
  (text) => {
    const linux = /Assertion [`'](.{1,500})' failed\.?$/.exec(text);
    if (linux !== null)
      return { type: 'Assertion failed', message: linux[1]!, ...assertPlace(text.slice(0, linux.index)) };
    const rest = after(text, 'Assertion failed: ');
    const [condition, place] = rest === null ? ['', ''] : (splitLast(rest, ', file ') ?? ['', '']);
    const [file, line] = splitLast(place, ', line ') ?? ['', ''];
    if (file === '') return null;
    const message = (splitLast(condition, ', function ')?.[0] ?? condition).replace(/^\((.{1,500})\)$/, '$1');
    return { type: 'Assertion failed', message, place: frame({ file: shownFile(file), line: leadingNumber(line) }) };
  },
  // Windows: `Unhandled exception at 0x00007FF6 in Owls.exe: 0xC0000005: Access violation reading location 0x0`.
  (text) => {
    const rest = splitFirst(text, 'Unhandled exception at 0x')?.[1] ?? splitFirst(text, 'Exception thrown at 0x')?.[1];
    const code = rest === undefined ? undefined : /: (0x[0-9A-Fa-f]{8}): ?(.{0,300})/.exec(rest);
    const module = rest === undefined ? null : between(rest, ' in ', ':');
    if (!code) return null;
    const type = WINDOWS_CODES[code[1]!.toLowerCase()] ?? code[1]!;
    return { type, message: '', place: nativeFrame({ module: module?.replace(/ \(.{0,100}$/, '') ?? null }) };
  },
  (text) => {
    const found =
      /^(?:Fatal error: |Error: )?(?:Segmentation fault|SIGSEGV|Unhandled (?:page fault|exception: page fault))\b/.exec(
        text,
      );
    return found === null ? null : { type: 'SIGSEGV', message: '' };
  },
  (text) => {
    const found =
      /^(?:Fatal signal|Program received signal|Received signal|Caught signal|Crashed with signal|Signal):? (?:\d{1,2} \()?(SIG[A-Z]{2,6})\b/i.exec(
        text,
      );
    return found === null ? null : { type: found[1]!.toUpperCase(), message: '' };
  },
];

const WINDOWS_CODES: Readonly<Record<string, string>> = {
  '0xc0000005': 'EXCEPTION_ACCESS_VIOLATION',
  '0xc00000fd': 'EXCEPTION_STACK_OVERFLOW',
  '0xc0000094': 'EXCEPTION_INT_DIVIDE_BY_ZERO',
  '0xc000001d': 'EXCEPTION_ILLEGAL_INSTRUCTION',
  '0x80000003': 'EXCEPTION_BREAKPOINT',
  '0xc0000374': 'STATUS_HEAP_CORRUPTION',
  '0xc0000409': 'STATUS_STACK_BUFFER_OVERRUN',
  '0xe06d7363': 'Unhandled C++ Exception',
};

function located(place: string): TraceFrame {
  const { file, line, column } = locationOf(place);
  return frame({ file: shownFile(file), line, column });
}

/** `owls: player.cpp:12: void Player::move(): `. */
function assertPlace(text: string): { place?: TraceFrame } {
  const found = /([^\s:]{1,200}):(\d{1,7}): (?:(.{1,400}): )?$/.exec(text);
  if (found === null) return {};
  return { place: nativeFrame({ function: found[3] ?? null, file: found[1]!, line: Number(found[2]) }) };
}

/**
 * `    #0 0x4f in Player::move(int) /src/player.cpp:12:3` of sanitizers, `#1  0x4f in foo () at a.c:12` of gdb, and
 * what backtrace_symbols writes: `./owls(_ZN6Player4moveEv+0x12) [0x4f]`.
 */
function nativeFrameOf(line: string): TraceFrame | null {
  const text = line.trim();
  const numbered = /^#\d{1,4} {1,4}(?:0x[0-9a-f]{1,16} )?(?:in )?(.{1,900})$/i.exec(text);
  if (numbered !== null) return / pc [0-9a-f]{8}/.test(` ${numbered[1]!}`) ? null : nativeRest(numbered[1]!);
  const symbols =
    /^(?:\[?\d{1,3}\]?:? {1,4})?([^\s()]{1,300})\(([^()+]{0,300})\+?(0x[0-9a-f]{1,16})?\) ?\[0x[0-9a-f]{1,16}\]$/.exec(
      text,
    );
  if (symbols === null) return null;
  return nativeFrame({ module: symbols[1]!, function: symbols[2] || null, offset: symbols[2] ? null : symbols[3] });
}

const MAX_HEAD = 60;

/** Native crashes of Android, as debuggerd writes them into a tombstone and the log. */
export const tombstone: TextFormat = {
  name: 'Android tombstone',
  read(lines, at) {
    const signal = signalOf(lines[at]!);
    if (signal === null) {
      // These are only frames, such as Unity's own report of a crash, or the end of a tombstone.
      if (tombstoneFrameOf(lines[at]!) === null) return null;
      const { frames, end } = readFrames(lines, at, tombstoneFrameOf);
      return { isNative: true, isFatal: true, main: { type: 'Crash', message: '', frames }, end };
    }
    let message = '';
    let next = at + 1;
    for (; next < lines.length && next < at + MAX_HEAD && tombstoneFrameOf(lines[next]!) === null; next++) {
      const text = lines[next]!.trim();
      if (signalOf(text) !== null || text.startsWith('*** ***')) break;
      message = between(text, "Abort message: '", "'") ?? after(text, 'Abort message: ') ?? message;
    }
    const { frames, end } = readFrames(lines, next, tombstoneFrameOf);
    return { isNative: true, isFatal: true, main: { type: signal, message, frames }, end: Math.max(end, at + 1) };
  },
};

/** `signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x10` and `Fatal signal 6 (SIGABRT), code -6 in tid …`. */
function signalOf(line: string): string | null {
  const found = /^(?:Fatal )?signal \d{1,2} \((SIG\w{2,8})\)(?:, code -?\d{1,4} \((\w{1,20}))?/.exec(line.trim());
  if (found === null) return null;
  const [, name, code] = found;
  return code === undefined || !/^(?:SEGV|BUS|FPE|ILL|TRAP)_/.test(code) ? name! : `${name} / ${code}`;
}

/**
 * `#03 pc 00000000000a1b2c  /data/app/…/libgame.so (Player::move(int)+12) (BuildId: 4f3a)`; before Android 8, without
 * `+12`.
 */
function tombstoneFrameOf(line: string): TraceFrame | null {
  const found = /^#\d{2,4} {1,3}pc (?:0x)?([0-9a-f]{8,16}) {1,4}(.{1,900})$/.exec(line.trim());
  if (found === null) return null;
  const text = found[2]!.replace(/ \(BuildId: [^)]{0,100}\)/, '').replace(/ \(offset 0x[0-9a-f]{1,16}\)/, '');
  const [path, called] = splitFirst(text, ' (') ?? [text, ''];
  // The name may have parentheses itself.
  const inside = called.endsWith(')') ? called.slice(0, -1) : (splitLast(called, ')')?.[0] ?? called);
  const name = withoutDistance(inside);
  return nativeFrame({
    module: path.trim(),
    function: name === '' ? null : name,
    offset: name === '' ? `0x${found[1]!.replace(/^0{1,15}/, '')}` : null,
  });
}
