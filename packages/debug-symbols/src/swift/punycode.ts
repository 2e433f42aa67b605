// Swift's variant of Punycode (RFC 3492), for names outside of ASCII: the delimiter is `_`, and A to J are the digits.
import { unknownName } from './nodes.ts';

const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;

/** Bounds the time, since each character is inserted into the text before it. */
const MAX_LENGTH = 1024;

export function decodePunycode(encoded: string): string {
  if (encoded.length > MAX_LENGTH) unknownName();
  const delimiter = encoded.lastIndexOf('_');
  const output = [...(delimiter > 0 ? encoded.slice(0, delimiter) : '')];
  let at = delimiter < 0 ? 0 : delimiter + 1;
  let code = 128;
  let index = 0;
  for (let bias = 72; at < encoded.length; index += 1) {
    const before = index;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = digitOf(encoded[at++]);
      index += digit * weight;
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (digit < threshold) break;
      weight *= BASE - threshold;
      if (weight > 0x7f_ff_ff_ff) unknownName();
    }
    const count = output.length + 1;
    bias = adapt(index - before, count, before === 0);
    code += Math.floor(index / count);
    index %= count;
    output.splice(index, 0, character(code));
  }
  return output.join('');
}

function digitOf(letter: string | undefined): number {
  if (letter !== undefined && letter >= 'a' && letter <= 'z') return letter.charCodeAt(0) - 97;
  if (letter !== undefined && letter >= 'A' && letter <= 'J') return letter.charCodeAt(0) - 65 + 26;
  return unknownName();
}

/** Characters of ASCII that Swift can't write in a symbol are encoded as surrogates. */
function character(code: number): string {
  if (code >= 0xd8_00 && code < 0xd8_80) return String.fromCharCode(code - 0xd8_00);
  if (code > 0x10_ff_ff || (code >= 0xd8_00 && code <= 0xdf_ff)) unknownName();
  return String.fromCodePoint(code);
}

function adapt(delta: number, count: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2));
  rest += Math.floor(rest / count);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}
