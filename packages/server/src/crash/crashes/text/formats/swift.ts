// Runtime failures of Swift, in the form before and since 5.4, with the frames that its runtime prints on Linux and Windows.
import { nativeFrame, withoutDistance } from '../native-frames.ts';
import { isBlank, locationOf, splitFirst, splitLast } from '../scan.ts';
import { shownFile } from '../source-names.ts';
import { frame, type TextFormat, type TraceFrame } from '../trace.ts';
import { appleFrame } from './apple.ts';

const KINDS = ['Fatal error', 'Precondition failed', 'Assertion failed', 'Unexpectedly found nil'] as const;

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
    // The place is often in the standard library, such as for an index that is out of range, and so are the first frames.
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
