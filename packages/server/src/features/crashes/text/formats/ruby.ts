// Errors of Ruby, and of RPG Maker XP, VX and VX Ace, which name the section of the script editor.
import { after, isBlank, isTypeName, leadingNumber, locationOf, splitFirst, splitLast } from '../scan.ts';
import { qualify, shownFile } from '../source-names.ts';
import { frame, type TextFormat, type TraceFrame } from '../trace.ts';

export const rpgMaker: TextFormat = {
  name: 'RPG Maker',
  read(lines, at) {
    // `Script 'Game_Player' line 123: NoMethodError occurred.`
    const text = lines[at]!.trim();
    const rest = after(text, "Script '") ?? after(text, 'Script "');
    const [section, tail] = rest === null ? ['', ''] : (splitFirst(rest, text[7]!) ?? ['', '']);
    const found = /^ line (\d{1,7}): ([\w:]{1,100}) occurred\.?(.{0,1000})$/.exec(tail);
    if (section === '' || found === null) return null;
    let end = at + 1;
    let message = found[3]!.trim();
    while (message === '' && end < lines.length && end < at + 4) message = lines[end++]!.trim();
    const own = frame({ function: section, file: section, line: Number(found[1]) });
    const calls = readCalls(lines, end);
    const main = { type: found[2]!, message, frames: calls.frames.length === 0 ? [own] : calls.frames };
    return { isNative: false, isFatal: true, main, end: calls.end };
  },
};

export const ruby: TextFormat = {
  name: 'Ruby',
  read(lines, at) {
    // `game.rb:12:in 'update': undefined method 'x' for nil (NoMethodError)`.
    const text = lines[at]!.trim();
    const first = callOf(text);
    if (first === null) return null;
    const named = splitLast(text, ' (');
    const type = named?.[1].replace(/\)$/, '') ?? '';
    if (named === null || !text.endsWith(')') || !isTypeName(type)) return null;
    const message = splitFirst(named[0], /:in /.test(named[0]) ? "': " : ': ')?.[1] ?? '';
    const { frames, end } = readCalls(lines, at + 1);
    return { isNative: false, isFatal: true, main: { type, message, frames: [first, ...frames] }, end };
  },
};

function readCalls(lines: readonly string[], from: number): { frames: TraceFrame[]; end: number } {
  const frames: TraceFrame[] = [];
  let end = from;
  for (; end < lines.length; end++) {
    const text = lines[end]!.trim();
    if (isBlank(text) && frames.length === 0 && end < from + 3) continue;
    const parsed = callOf(after(text, 'from ') ?? text);
    if (parsed === null) break;
    frames.push(parsed);
  }
  return { frames, end };
}

/** ``game.rb:12:in `update'``, `game.rb:12:in 'Player#update'`, and `{0012}:34:in …` for a section of the editor. */
function callOf(text: string): TraceFrame | null {
  const [place, rest] = splitFirst(text, ':in ') ?? [splitFirst(text, ': ')?.[0] ?? text, ''];
  const { file, line } = locationOf(place);
  if (
    line === null ||
    /\s{2}|[()"]/.test(file) ||
    !(/\.rb$/.test(file) || (/^(?:\{\d{1,5}\}|Section\d{1,5}|\d{3}:.{1,100}|<\w{1,20}>)$/.test(file) && rest !== ''))
  )
    return null;
  const name = /^[`']([^']{1,200})'/.exec(rest)?.[1];
  return frame({
    function: name === undefined ? null : methodOf(name, file),
    file: shownFile(file),
    line: leadingNumber(String(line)),
    own: !/\/(?:gems|rubygems)\/|\/lib\/ruby\//.test(file),
  });
}

/** `block in Player#update` is in `Player#update`. */
function methodOf(name: string, file: string): string {
  const bare = name.replace(/^(?:(?:block|rescue|ensure)(?: \(\d{1,3} levels\))? in ){1,5}/, '');
  return /[#.:]/.test(bare) ? bare : qualify(bare.replace(/^<(.{1,50})>$/, '$1').replaceAll(' ', '_'), file);
}
