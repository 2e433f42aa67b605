// Errors of Haxe, such as games made with OpenFL and HaxeFlixel: `Called from Player.update (Player.hx line 12)`.
import { after, isBlank, leadingNumber, splitFirst, splitLast } from '../scan.ts';
import { qualify, shownFile } from '../source-names.ts';
import { frame, readFrames, type TextFormat, type TraceFrame } from '../trace.ts';

const RUNTIME = /^(?:flixel|openfl|lime|haxe|hxcpp|cpp|sys|starling|hxd|h2d|h3d|kha|heaps|ApplicationMain|polymod)\b/;

export const haxe: TextFormat = {
  name: 'Haxe',
  read(lines, at) {
    const head = lines[at]!.trim();
    const isCall = callOf(head) !== null;
    if (!isCall && (isBlank(head) || at + 1 >= lines.length || callOf(lines[at + 1]!) === null)) return null;
    const { frames, end } = readFrames(lines, isCall ? at : at + 1, callOf);
    // hxcpp writes the message first; dialogs of games often write it after the frames.
    const below = /^(?:Uncaught Error|Error): (.{1,1000})$/.exec(
      (lines[end] ?? '').trim() || (lines[end + 1] ?? '').trim(),
    )?.[1];
    const text = isCall ? (below ?? '') : (after(head, 'Error : ') ?? after(head, 'Uncaught Error: ') ?? head);
    const main = { type: 'Haxe error', message: text.replace(/^Error(?: :|:) /, ''), frames };
    return { isNative: false, isFatal: true, main, end };
  },
};

/** `Called from Player.update (source/Player.hx line 12)`, `Player.hx (line 12)`, `Called from flixel.FlxGame::update line 4`. */
function callOf(line: string): TraceFrame | null {
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
