// Panics and fatal errors of Go.
import { after, isBlank, splitFirst, splitLast } from '../scan.ts';
import { shownFile } from '../source-names.ts';
import { frame, type TextFormat, type TraceFrame } from '../trace.ts';

const MAX_BETWEEN = 10;

export const go: TextFormat = {
  name: 'Go',
  read(lines, at) {
    const text = lines[at]!.trim();
    const panic = after(text, 'panic: ') ?? after(text, 'fatal error: ');
    if (panic === null) return null;
    let next = at + 1;
    while (next < lines.length && next < at + MAX_BETWEEN && !/^goroutine \d{1,9} .{0,60}\[/.test(lines[next]!))
      next += 1;
    if (next >= lines.length || !lines[next]!.startsWith('goroutine ')) return null;
    const frames: TraceFrame[] = [];
    let end = next + 1;
    for (; end < lines.length; end++) {
      const line = lines[end]!.trim();
      if (isBlank(line)) break;
      const place = /^(.{1,400}\.(?:go|s|c)):(\d{1,7})/.exec(line);
      if (place !== null && frames.length > 0) {
        const last = frames.pop()!;
        const isLibrary = /\/(?:src\/runtime|pkg\/mod|vendor)\/|\/go\/src\//.test(place[1]!);
        frames.push({ ...last, file: shownFile(place[1]!), line: Number(place[2]), own: last.own && !isLibrary });
        continue;
      }
      const name = nameOf(line);
      if (name === null) break;
      frames.push(
        frame({
          function: name,
          own: !/^(?:runtime|panic|syscall|reflect|sync|net\/http|testing|internal)\b/.test(name),
        }),
      );
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

/** `main.(*Game).Update(0xc000, {0x1, 0x2})`, `created by main.main in goroutine 1`, and `panic({0x1?, 0x2?})`. */
function nameOf(line: string): string | null {
  const created = after(line, 'created by ');
  if (created !== null) return splitFirst(created, ' in goroutine')?.[0] ?? created;
  const called = line.endsWith(')') ? splitLast(line, '(')?.[0] : undefined;
  if (called === undefined || called === '' || /\s/.test(called)) return null;
  const name = called.slice(called.lastIndexOf('/') + 1);
  return name.replace(/\.func\d[\d.]{0,20}$/, '.func').replace(/\[\.\.\.\]/, '');
}
