// Runtime failures of Swift, in the form before and since 5.4; their frames follow as native ones, if at all.
import { splitFirst, splitLast } from '../scan.ts';
import { shownFile } from '../source-names.ts';
import { frame, type TextFormat, type TraceFrame } from '../trace.ts';

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
    const frames: TraceFrame[] = [frame({ file: shownFile(file), line: Number(number) })];
    const main = { type: found.kind, message: message.trim(), frames };
    return { isNative: false, isFatal: true, main, end: at + 1 };
  },
};
