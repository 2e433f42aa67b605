// Panics of Rust, in the form before and since 1.73, with their backtrace.
import { nativeFrame } from '../native-frames.ts';
import { after, isBlank, locationOf, splitFirst, splitLast } from '../scan.ts';
import { shownFile } from '../source-names.ts';
import { frame, type TextFormat, type TraceFrame } from '../trace.ts';

const MAX_MESSAGE_LINES = 8;

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
    while (old === null && next < lines.length && next <= at + MAX_MESSAGE_LINES && !isEnd(lines[next]!))
      message.push(lines[next++]!);
    let end = next;
    while (end < lines.length && end < next + 4 && !isBacktrace(lines[end]!)) end += 1;
    const isTraced = end < lines.length && isBacktrace(lines[end]!);
    const calls = isTraced ? readCalls(lines, end + 1) : { frames: [], end: next };
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
function readCalls(lines: readonly string[], from: number): { frames: TraceFrame[]; end: number } {
  const frames: TraceFrame[] = [];
  let end = from;
  for (; end < lines.length; end++) {
    const text = lines[end]!.trim();
    const call = /^\d{1,4}: {1,4}(?:0x[0-9a-f]{1,16} - )?(.{1,900})$/.exec(text);
    const place = after(text, 'at ');
    if (call !== null) {
      const name = call[1]!;
      frames.push({ ...nativeFrame({ function: name }), own: isOwn(name, '') });
    } else if (place !== null && frames.length > 0) {
      const { file, line, column } = locationOf(place);
      const last = frames.pop()!;
      frames.push({ ...last, file: shownFile(file), line, column, own: last.own && isOwn('', file) });
    } else if (!/^\[\.\.\. omitted \d{1,4} frames? \.\.\.\]$/.test(text)) break;
  }
  return { frames, end };
}

/** The standard library, and crates of the registry. */
function isOwn(name: string, file: string): boolean {
  if (/^\/?rustc\/|\/\.cargo\/|\\\.cargo\\|^library\/|\/rustlib\/|registry[\\/]src/.test(file)) return false;
  return !/^<?(?:std|core|alloc|rust_begin_unwind|rust_panic|__rust|bevy_\w{1,40}|bevy|tokio|winit|wgpu\w{0,10}|rayon\w{0,10}|macroquad|miniquad|ggez)(?:::|$)|^(?:rust_begin_unwind|__libc_start_main\w{0,30}|main|_start|start_thread|clone3?|BaseThreadInitThunk|RtlUserThreadStart|mainCRTStartup|WinMainCRTStartup|invoke_main|__scrt_common_main_seh|unknown|<unknown>)$/.test(
    name,
  );
}
