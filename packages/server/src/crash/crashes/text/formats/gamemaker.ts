// GameMaker: the report of the runner, with functions named after objects, events, scripts and rooms.
import { after, isBlank, leadingNumber, splitFirst } from '../scan.ts';
import { frame, type Reading, type TextFormat, type TraceFrame } from '../trace.ts';

/** Lines between the parts of a report. */
const MAX_HEAD = 12;

export const gameMaker: TextFormat = {
  name: 'GameMaker',
  read(lines, at) {
    if (!isHead(lines[at]!)) {
      // The end of a report whose beginning was cut off.
      const first = callOf(lines[at]!);
      if (first === null || !lines[at]!.trimStart().startsWith('gml_')) return null;
      const { frames, end } = readCalls(lines, at);
      return readingOf('', frames, end);
    }
    let next = at + 1;
    while (next < lines.length && next < at + MAX_HEAD && isIntroduction(lines[next]!)) next += 1;
    let message = '';
    let culprit: TraceFrame | null = null;
    for (; next < lines.length && next < at + 2 * MAX_HEAD; next++) {
      const line = lines[next]!.trim();
      culprit = after(line, 'at ') === null ? null : callOf(line);
      if (culprit !== null || isRuler(line) || callOf(line) !== null) break;
      if (message === '' && line !== '') message = line;
    }
    if (culprit !== null) next += 1;
    const { frames, end } = readCalls(lines, next);
    const isRepeated = culprit !== null && frames[0]?.function === culprit.function;
    return readingOf(message, culprit === null || isRepeated ? frames : [culprit, ...frames], end);
  },
};

function readingOf(message: string, frames: readonly TraceFrame[], end: number): Reading {
  return { isNative: false, isFatal: true, main: { type: 'GameMaker error', message, frames }, end };
}

/** `FATAL ERROR in action number 1` and `ERROR in`, with `action number 1` on the next line. */
function isHead(line: string): boolean {
  const text = line.trim().replace(/^ERROR!!! :: /, '');
  return /^(?:FATAL )?ERROR in(?:$| *action number)/.test(text);
}

/** `action number 1`, `of  Step Event0`, `for object obj_player:`. */
function isIntroduction(line: string): boolean {
  const text = line.trim();
  return text === '' || /^(?:action number|of |for object )/.test(text);
}

function isRuler(line: string): boolean {
  return /^[#_-]{10}/.test(line);
}

function readCalls(lines: readonly string[], from: number): { frames: TraceFrame[]; end: number } {
  const frames: TraceFrame[] = [];
  let end = from;
  for (; end < lines.length; end++) {
    const line = lines[end]!.trim();
    if (isBlank(line) || isRuler(line) || line === 'stack frame is' || line === 'Stacktrace:') {
      // An empty line ends a stack, and may be before one.
      if (frames.length > 0) break;
      continue;
    }
    const call = callOf(line);
    if (call === null) break;
    frames.push(call);
  }
  return { frames, end };
}

/** `gml_Object_obj_player_Step_0 (line 12) -        hp -= 1`, also after `at `, `called from - ` and `-> `. */
function callOf(line: string): TraceFrame | null {
  const text = line.trimStart().replace(/^(?:at |called from - |-> )/, '');
  if (!text.startsWith('gml_')) return null;
  const [name, rest] = splitFirst(text, ' ') ?? [text, ''];
  const place = after(rest.trimStart(), '(line ');
  // Without a place, it may be the beginning of a sentence.
  if (place === null && rest.trim() !== '' && !rest.trim().startsWith('-')) return null;
  return frame({ function: stableName(name), line: place === null ? null : leadingNumber(place) });
}

/** Functions without a name have the position of their source in it: `gml_Script_anon@19178@Inventory`. */
function stableName(name: string): string {
  return name
    .replace(/:\d{1,7}$/, '')
    .replace(/@\d{1,9}(?=@|$)/g, '@')
    .replace(/_\d{4,12}(?=_|$)/g, '_');
}
