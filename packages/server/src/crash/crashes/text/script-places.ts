// Finds the places of scripts in a stack of JavaScript in text, and writes the stack again with the places in the sources,
// so that it is read like any other.

type SourcePlace = {
  readonly function: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly isLibrary: boolean;
};

/** A frame of the text. Lines and columns count from 1. */
export type TextFrame = {
  readonly function: string;
  readonly place: string;
  readonly line: number;
  readonly column: number;
};

/** Longer lines are not frames. */
const MAX_LINE = 1024;

/** A frame, and what is before and after it in its line. */
type Split = TextFrame & { readonly before: string; readonly after: string; readonly isV8: boolean };

/**
 * `at update (https://a.example/game.js:1:2)`, `at https://a.example/game.js:1:2` or `update@https://a.example/game.js:1:2`.
 * It looks at each character a few times, because lines come from anyone.
 */
function splitLine(line: string): Split | null {
  if (line.length > MAX_LINE) return null;
  const [after = ''] = /(?: \{|,)?\s{0,8}$/.exec(line) ?? [];
  const text = line.slice(0, line.length - after.length);
  const end = /:(\d{1,9}):(\d{1,9})\)?$/.exec(text);
  if (end === null) return null;
  const head = text.slice(0, end.index);
  const found = text.endsWith(')') ? splitCall(head) : (splitPlace(head) ?? splitOther(head));
  if (found === null) return null;
  // Code in eval has no map; the script that called eval may have one.
  const evaluated = found.place.startsWith('eval at ') ? INNERMOST.exec(found.place) : null;
  if (evaluated !== null)
    return splitOf({ ...found, place: evaluated[1]! }, after, Number(evaluated[2]), Number(evaluated[3]));
  // Hermes counts the bytes of a line from 0, and calls them an address.
  const isHermes = found.place.startsWith(HERMES);
  const place = isHermes ? found.place.slice(HERMES.length) : found.place;
  return splitOf({ ...found, place }, after, Number(end[1]), Number(end[2]) + Number(isHermes));
}

const HERMES = 'address at ';

function splitOf(found: Found, after: string, line: number, column: number): Split | null {
  const isPlace = SCRIPT.test(found.place) && (!/[\s()]/.test(found.place) || ABSOLUTE.test(found.place));
  return isPlace ? { ...found, after, line, column } : null;
}

/** `eval at load (https://a.example/game.js:1:2), <anonymous>`, also in another one. */
const INNERMOST = /\(([^()]{1,900}):(\d{1,9}):(\d{1,9})\)/;
/** The start of a URL or a path, in which spaces and parentheses are part of names: `C:\Program Files (x86)\game.js`. */
const ABSOLUTE = /^(?:[a-z][\w+.-]{1,30}:\/\/|[a-z]:[\\/]|\/)/i;

type Found = Pick<Split, 'before' | 'function' | 'place' | 'isV8'>;

/** `at async update (https://a.example/game.js`. */
function splitCall(head: string): Found | null {
  const start = startOfV8(head);
  const open = head.indexOf(' (', start);
  if (start < 0 || open < 0) return null;
  const name = head.slice(start + 3, open).replace(/^(?:async |new )/, '');
  return { before: head.slice(0, start), function: name, place: head.slice(open + 2), isV8: true };
}

/** `at https://a.example/game.js`. */
function splitPlace(head: string): Found | null {
  const start = startOfV8(head);
  if (start < 0) return null;
  return {
    before: head.slice(0, start),
    function: '',
    place: head.slice(start + 3).replace(/^async /, ''),
    isV8: true,
  };
}

/** `update@https://a.example/game.js`. */
function splitOther(head: string): Found | null {
  // Names of packages begin with it, too: `update@https://cdn.example/npm/@game/core/index.js`.
  const first = head.search(/@(?=[a-z][\w+.-]{1,30}:\/\/)/i);
  const at = first < 0 ? head.lastIndexOf('@') : first;
  if (at < 0) return null;
  const start = head.lastIndexOf(' ', at) + 1;
  return { before: head.slice(0, start), function: head.slice(start, at), place: head.slice(at + 1), isV8: false };
}

/** Where `at ` begins as a word; -1 without one. */
function startOfV8(head: string): number {
  return head.search(/(?<!\S)at /);
}

const SCRIPT = /\.(?:[cm]?js(?:\.(?:gz|br|unityweb))?|jsbundle|bundle)(?:[?#].{0,200})?$/i;

/** The frame in each line; null for any other line. */
export function framesInText(text: string): (TextFrame | null)[] {
  return linesOf(text).map((line) => {
    const found = splitLine(line);
    if (found === null) return null;
    const { function: name, place, line: at, column } = found;
    return { function: name, place, line: at, column };
  });
}

/** Writes the text with these places, of which there is one for each line; null leaves a line as it is. */
export function withSources(text: string, places: readonly (SourcePlace | null)[]): string {
  return linesOf(text)
    .map((line, index) => {
      const [place, found] = [places[index] ?? null, splitLine(line)];
      return place === null || found === null ? line : `${found.before}${formatFrame(place, found.isV8)}${found.after}`;
    })
    .join('\n');
}

/** The place as it is written in a frame: `src/player.ts:8:13`. */
export function formatPlace({ file, line, column, isLibrary }: SourcePlace): string {
  const shown = file.replace(/[\s()@:]+/g, '_');
  return `${isLibrary && !shown.startsWith('/') ? '/' : ''}${shown}:${line}:${column}`;
}

function formatFrame(source: SourcePlace, isV8: boolean): string {
  const place = formatPlace(source);
  const bare = source.function.replace(/[\s()@]+/g, '_');
  if (!isV8) return `${bare}@${place}`;
  return bare === '' ? `at ${place}` : `at ${bare} (${place})`;
}

/** Some clients send the breaks of a stack as the two characters `\n`. */
function linesOf(text: string): string[] {
  return (/[\r\n]/.test(text) ? text : text.replaceAll(/\\r\\n|\\n/g, '\n')).split(/\r\n|\n|\r/);
}
