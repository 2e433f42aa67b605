// Reads JSON as clients write it. What JSON.parse refuses is corrected in one pass and tried again: control characters
// in texts, Windows paths with single backslashes, and the numbers NaN and Infinity.

const utf8 = new TextDecoder();

/** More values than this are no event, and each costs as much memory as a long text. */
export const MAX_VALUES = 1_500_000;

/** The value; undefined if the bytes are not JSON, or have more than `maxValues` values. Wrong UTF-8 is replaced. */
export function parseJson(bytes: Uint8Array, maxValues: number = MAX_VALUES): unknown {
  if (bytes.length === 0 || countsMoreValues(bytes, maxValues)) return undefined;
  const text = utf8.decode(bytes);
  return tryParse(text) ?? tryParse(corrected(text));
}

/** JSON has no value `undefined`, so that is a text that can't be parsed. */
function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/** Whether there are more than about `max` values, by commas and brackets. */
function countsMoreValues(json: Uint8Array, max: number): boolean {
  // Every value takes at least two bytes, with its comma or brackets.
  if (json.length <= 2 * max) return false;
  let values = 0;
  let isInText = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) isInText = !isInText;
    else if (isInText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) values += 1;
  }
  return values > max;
}

/** A text, or a number that JSON doesn't have. A text that isn't closed ends with the JSON. */
const PIECES = /"(?:[^"\\]|\\[\s\S])*(?:"|$)|-?\b(?:NaN|Infinity|inf|nan)\b/g;
const BAD_IN_TEXT = /\\(?!["\\/bfnrt]|u[0-9a-f]{4})|\\[\s\S]|\p{Cc}/giu;

function corrected(text: string): string {
  return text.replace(PIECES, (piece) => {
    if (piece[0] !== '"') return 'null';
    return piece.replace(BAD_IN_TEXT, (bad) => {
      if (bad === '\\') return '\\\\';
      return bad[0] === '\\' ? bad : `\\u${bad.charCodeAt(0).toString(16).padStart(4, '0')}`;
    });
  });
}
