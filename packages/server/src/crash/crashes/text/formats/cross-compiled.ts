// Errors of languages that are compiled for several targets, each with its own form of a stack: Dart and Haxe.
import { after, isBlank, leadingNumber, locationOf, splitFirst, splitLast } from '../line-parsers.ts';
import { qualify, shownFile } from '../source-names.ts';
import { frame, headerOf, readFrames, type TextFormat, type TraceFrame } from '../trace.ts';

/** Lines of a message before the first frame. */
const MAX_BETWEEN = 4;

/** Errors of Dart, as in games made with Flutter: `#0  Player.update (package:owls/player.dart:12:5)`. */
export const dart: TextFormat = {
  name: 'Dart',
  read(lines, at) {
    const text = lines[at]!.trim();
    const unhandled = after(text, 'Unhandled exception:') ?? splitFirst(text, 'Unhandled Exception: ')?.[1] ?? null;
    const isOwnLine = unhandled === '' && at + 1 < lines.length;
    const headAt = isOwnLine ? at + 1 : at;
    let next = dartCallOf(lines[at]!) === null ? headAt + 1 : at;
    while (next < lines.length && next <= headAt + MAX_BETWEEN && dartCallOf(lines[next]!) === null) next += 1;
    if (
      next > headAt + (unhandled === null ? 1 : MAX_BETWEEN) ||
      next >= lines.length ||
      dartCallOf(lines[next]!) === null
    )
      return null;
    const head = next === at ? '' : unhandled || lines[headAt]!.trim();
    const named = headerOf(head) ?? { type: head === '' ? '' : 'Exception', message: head };
    const frames: TraceFrame[] = [];
    let end = next;
    for (; end < lines.length; end++) {
      if (lines[end]!.trim() === '<asynchronous suspension>') continue;
      const parsed = dartCallOf(lines[end]!);
      if (parsed === null) break;
      frames.push(parsed);
    }
    const main = { ...named, frames };
    return { isNative: false, isFatal: unhandled !== null, main, end };
  },
};

function dartCallOf(line: string): TraceFrame | null {
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

const RUNTIME = /^(?:flixel|openfl|lime|haxe|hxcpp|cpp|sys|starling|hxd|h2d|h3d|kha|heaps|ApplicationMain|polymod)\b/;

/** Errors of Haxe, as in games made with OpenFL: `Called from Player.update (Player.hx line 12)`. */
export const haxe: TextFormat = {
  name: 'Haxe',
  read(lines, at) {
    const head = lines[at]!.trim();
    const isCall = haxeCallOf(head) !== null;
    if (!isCall && (isBlank(head) || at + 1 >= lines.length || haxeCallOf(lines[at + 1]!) === null)) return null;
    const { frames, end } = readFrames(lines, isCall ? at : at + 1, haxeCallOf);
    // hxcpp writes the message first; dialogs of games often write it after the frames.
    const below = /^(?:Uncaught Error|Error): (.{1,1000})$/.exec(
      (lines[end] ?? '').trim() || (lines[end + 1] ?? '').trim(),
    )?.[1];
    const text = isCall ? (below ?? '') : (after(head, 'Error : ') ?? after(head, 'Uncaught Error: ') ?? head);
    const main = { type: 'Haxe error', message: text.replace(/^Error(?: :|:) /, ''), frames };
    return { isNative: false, isFatal: true, main, end };
  },
};

/**
 * `Called from Player.update (source/Player.hx line 12)`, `Player.hx (line 12)`, `Called from flixel.FlxGame::update
 * line 4`.
 */
function haxeCallOf(line: string): TraceFrame | null {
  const text = line.trim();
  const called = after(text, 'Called from ') ?? (/\.hx\b/.test(text) ? text : null);
  if (called === null) return null;
  const [name, place] = splitFirst(called, ' (') ?? ['', called];
  const inside = place.replace(/\)$/, '');
  const [file, number] = splitLast(inside, ' line ') ??
    splitLast(name === '' ? inside : `${name} ${inside}`, ' line ') ?? ['', ''];
  const lineNumber = leadingNumber(number);
  if (lineNumber === null) return null;
  const isFile = file.endsWith('.hx');
  const bare = (isFile ? name : file).replace(/::/g, '.').replace(/\.hx$/, '').trim();
  const path = isFile ? file : /\.hx$/.test(name) ? name : null;
  return frame({
    function: bare === '' ? null : qualify(bare, path),
    file: path === null ? null : shownFile(path),
    line: lineNumber,
    own: !RUNTIME.test(path ?? bare) && !RUNTIME.test(bare),
  });
}
