// Reads JSON as clients write it. What JSON.parse refuses is corrected in one pass and tried again: control characters
// in texts, Windows paths with single backslashes, and the numbers NaN and Infinity.

const utf8 = new TextDecoder();

/** An event never has more values than this, and each costs as much memory as a long text. */
const MAX_VALUES = 1_000_000;
/** An object with more fields takes the parser a multiple of the time for as many bytes. */
const MAX_FIELDS = 150_000;
/** So do objects within objects. */
const MAX_DEPTH = 300_000;
/** The most places that are corrected. A client makes few mistakes, or always the same one in short texts. */
const MAX_CORRECTIONS = 50_000;
/** Shorter JSON is parsed at once whatever it has. */
const SHORT_BYTES = 32 * 1024;

/**
 * The value; undefined if the bytes are not JSON, or it would take too long to parse them, as with more than `maxValues`
 * values. Wrong UTF-8 is replaced.
 */
export function parseJson(bytes: Uint8Array, maxValues: number = MAX_VALUES): unknown {
  if (bytes.length === 0 || isTooComplex(bytes, maxValues)) return undefined;
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
const [BRACKET_END, BRACE_END] = [0x5d, 0x7d];

/** It counts commas and brackets, and does not check that the rest is JSON. */
function isTooComplex(json: Uint8Array, maxValues: number): boolean {
  // Every value takes at least two bytes, with its comma or brackets.
  if (json.length <= Math.min(SHORT_BYTES, 2 * maxValues)) return false;
  const lists = new OpenLists();
  let isInText = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]!;
    if (byte === QUOTE) isInText = !isInText;
    else if (isInText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte >= COMMA && !lists.add(byte, maxValues)) return true;
  }
  return false;
}

/** Lists and objects that have begun but not ended. */
class OpenLists {
  /** The commas of each. Those in lists are not counted. */
  readonly #commas: number[] = [0];
  #depth = 0;
  #values = 0;

  /** Takes a character outside of texts. Returns false once there are too many. */
  add(byte: number, maxValues: number): boolean {
    if (byte === BRACKET || byte === BRACE) {
      this.#values += 1;
      this.#depth += 1;
      this.#commas[this.#depth] = byte === BRACE ? 0 : Number.MIN_SAFE_INTEGER;
    } else if (byte === COMMA) {
      this.#values += 1;
      this.#commas[this.#depth]! += 1;
    } else if (byte === BRACKET_END || byte === BRACE_END) this.#depth = Math.max(0, this.#depth - 1);
    return this.#values <= maxValues && this.#depth <= MAX_DEPTH && this.#commas[this.#depth]! <= MAX_FIELDS;
  }
}

const LITERAL = /-?(?:NaN|Infinity|inf|nan)\b/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-f]{4})/iy;

/** The text; empty if there is too much to correct. Takes linear time, and no regular expression ever sees more than a few characters. */
function corrected(text: string): string {
  let out = '';
  let from = 0;
  let isInText = false;
  let corrections = 0;
  const replace = (at: number, length: number, by: string) => {
    corrections += 1;
    out += text.slice(from, at) + by;
    from = at + length;
  };
  for (let at = 0; at < text.length && corrections <= MAX_CORRECTIONS; at += 1) {
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
  return corrections > MAX_CORRECTIONS ? '' : out + text.slice(from);
}

/** The length of what a sticky expression matches at a place; 0 if it doesn't. */
function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
