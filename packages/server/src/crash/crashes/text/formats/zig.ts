// Panics, signals and unhandled errors of Zig, with the frames of debug builds.
import { after, locationOf } from '../scan.ts';
import { qualify, shownFile } from '../source-names.ts';
import { frame, type TextFormat, type TraceFrame } from '../trace.ts';

/** Lines of the source and of marks below them, between two frames. */
const MAX_BETWEEN = 4;

export const zig: TextFormat = {
  name: 'Zig',
  read(lines, at) {
    const text = lines[at]!.trim();
    // `thread 4711 panic: text`; single-threaded builds leave out the thread.
    const threaded = /^(?:thread \d{1,20} panic|panic\([^()]{1,60}\)): (.{1,900})$/.exec(text)?.[1];
    const isTraced = at + 1 < lines.length && frameOf(lines[at + 1]!) !== null;
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
  for (let next = from; next < lines.length && next < end + MAX_BETWEEN; next++) {
    const parsed = frameOf(lines[next]!);
    if (parsed === null) continue;
    frames.push(parsed);
    end = next + 1;
  }
  return { frames, end };
}

/** `/src/owls/nest.zig:48:34: 0x2484f5 in land (owls)`, and `???:?:?: 0x2 in ??? (???)`. */
function frameOf(line: string): TraceFrame | null {
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
    own: !LIBRARY.test(path),
  });
}

/** The standard library, and packages in the cache. C code of the OS is known by its folder. */
const LIBRARY =
  /[\\/]std[\\/].{0,200}\.zig$|[\\/]compiler_rt[\\/.]|[\\/]\.?cache[\\/]zig[\\/]p[\\/]|^\/(?:usr|build|sysdeps)\/|^\.\.\/sysdeps\//;
