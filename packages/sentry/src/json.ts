// Reads JSON as clients write it. What JSON.parse refuses is corrected in one pass and tried again: control characters
// in texts, Windows paths with single backslashes, and the numbers NaN and Infinity.

const utf8 = new TextDecoder();

/** An event never has more values than this, and each costs as much memory as a long text. */
const MAX_VALUES = 1_500_000;

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

const LITERAL = /-?(?:NaN|Infinity|inf|nan)\b/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-f]{4})/iy;

/** Takes linear time, and no regular expression ever sees more than a few characters. */
function corrected(text: string): string {
  let out = '';
  let from = 0;
  let isInText = false;
  const replace = (at: number, length: number, by: string) => {
    out += text.slice(from, at) + by;
    from = at + length;
  };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isInText = !isInText;
    else if (isInText && code === BACKSLASH) {
      if (matchAt(ESCAPE, text, at) > 0) at += 1;
      else replace(at, 1, '\\\\');
    } else if (isInText && code < 0x20) replace(at, 1, `\\u${code.toString(16).padStart(4, '0')}`);
    else if (!isInText) {
      const length = matchAt(LITERAL, text, at);
      if (length > 0) replace(at, length, 'null');
      at += Math.max(0, length - 1);
    }
  }
  return out + text.slice(from);
}

/** The length of what a sticky expression matches at a place; 0 if it doesn't. */
function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
