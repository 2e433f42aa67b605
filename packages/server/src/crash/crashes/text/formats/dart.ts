// Errors of Dart, such as games made with Flutter and Flame: `#0  Player.update (package:owls/player.dart:12:5)`.
import { headerOf } from '../header.ts';
import { after, locationOf, splitFirst, splitLast } from '../scan.ts';
import { qualify } from '../source-names.ts';
import { frame, type TextFormat, type TraceFrame } from '../trace.ts';

/** Lines of a message before the first frame. */
const MAX_BETWEEN = 4;

export const dart: TextFormat = {
  name: 'Dart',
  read(lines, at) {
    const text = lines[at]!.trim();
    const unhandled = after(text, 'Unhandled exception:') ?? splitFirst(text, 'Unhandled Exception: ')?.[1] ?? null;
    const isOwnLine = unhandled === '' && at + 1 < lines.length;
    const headAt = isOwnLine ? at + 1 : at;
    let next = callOf(lines[at]!) === null ? headAt + 1 : at;
    while (next < lines.length && next <= headAt + MAX_BETWEEN && callOf(lines[next]!) === null) next += 1;
    if (next > headAt + (unhandled === null ? 1 : MAX_BETWEEN) || next >= lines.length || callOf(lines[next]!) === null)
      return null;
    const head = next === at ? '' : unhandled || lines[headAt]!.trim();
    const named = headerOf(head) ?? { type: head === '' ? '' : 'Exception', message: head };
    const frames: TraceFrame[] = [];
    let end = next;
    for (; end < lines.length; end++) {
      if (lines[end]!.trim() === '<asynchronous suspension>') continue;
      const parsed = callOf(lines[end]!);
      if (parsed === null) break;
      frames.push(parsed);
    }
    const main = { ...named, frames };
    return { isNative: false, isFatal: unhandled !== null, main, end };
  },
};

function callOf(line: string): TraceFrame | null {
  const numbered = /^#\d{1,4} {2,8}(.{1,900})$/.exec(line.trim());
  const [name, place] =
    numbered === null || !numbered[1]!.endsWith(')') ? ['', ''] : (splitLast(numbered[1]!, ' (') ?? ['', '']);
  const inside = place.slice(0, -1);
  if (name === '' || !/^(?:package:|dart:|file:\/\/|\.\.|org-dartlang)/.test(inside)) return null;
  const { file, line: number, column } = locationOf(inside);
  // `Player.update.<anonymous closure>` is in `Player.update`.
  const bare = name
    .replace(/\.<anonymous closure>/g, '')
    .replace(/^new /, '')
    .replace(/^<.{1,60}>$/, 'closure');
  const isLibrary =
    /^dart:|^package:(?:flutter|flame|flame_\w{1,30}|bloc|provider|riverpod\w{0,20}|stack_trace|async)\//.test(file);
  return frame({
    function: qualify(bare, file),
    file: file.replace(/^package:/, ''),
    line: number,
    column,
    own: !isLibrary,
  });
}
