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

const SCRIPT =
  '((?:[a-z][\\w+.-]{0,30}:)?[^\\s()@:]{0,500}(?::\\d{1,5}/)?[^\\s()@:]{0,500}\\.(?:js|mjs|cjs|jsbundle)(?:[?#][^\\s()@:]{0,200})?)';
const PLACE = `${SCRIPT}:(\\d{1,9}):(\\d{1,9})`;
/** `at update (https://a.example/game.js:1:2)`, `at https://a.example/game.js:1:2`. */
const V8 = new RegExp(`\\bat (?:(?:async |new )?([^\\s()][^()]{0,200}) \\()?${PLACE}\\)?(?=\\s|,|$)`, 'i');
/** `update@https://a.example/game.js:1:2`. */
const OTHERS = new RegExp(`([^\\s@]{0,200})@${PLACE}(?=\\s|$)`, 'i');
/** Longer lines are not frames. */
const MAX_LINE = 1024;

/** The frame in each line; null for any other line. */
export function framesInText(text: string): (TextFrame | null)[] {
  return linesOf(text).map((line) => {
    const [, name = '', place = '', at = '', column = ''] = matchOf(line) ?? [];
    return place === '' ? null : { function: name, place, line: Number(at), column: Number(column) };
  });
}

/** Writes the text with these places, of which there is one for each line; null leaves a line as it is. */
export function withSources(text: string, places: readonly (SourcePlace | null)[]): string {
  return linesOf(text)
    .map((line, index) => {
      const place = places[index] ?? null;
      return place === null ? line : replaced(line, place);
    })
    .join('\n');
}

function replaced(line: string, { function: name, file, line: at, column, isLibrary }: SourcePlace): string {
  const shown = file.replace(/[\s()@:]+/g, '_');
  const path = isLibrary && !shown.startsWith('/') ? `/${shown}` : shown;
  const place = `${path}:${at}:${column}`;
  const bare = name.replace(/[\s()@]+/g, '_');
  // The replacement is a function, because names of JavaScript may have dollar signs.
  if (V8.test(line)) return line.replace(V8, () => (bare === '' ? `at ${place}` : `at ${bare} (${place})`));
  return line.replace(OTHERS, () => `${bare}@${place}`);
}

function matchOf(line: string): RegExpExecArray | null {
  return line.length > MAX_LINE ? null : (V8.exec(line) ?? OTHERS.exec(line));
}

/** Some clients send the breaks of a stack as the two characters `\n`. */
function linesOf(text: string): string[] {
  return (/[\r\n]/.test(text) ? text : text.replaceAll(/\\r\\n|\\n/g, '\n')).split(/\r\n|\n|\r/);
}
