// Reads the texts of Linux’s /proc that dumps hold as streams: lines, `key: value` pairs, and lists that NULs part.
import type { StreamInput } from '../minidump.ts';

/** A line’s two sides, without the blanks and the quotes around them. */
export type KeyValue = readonly [key: string, value: string];

// Only a stream’s own bytes are decoded, each once, so that there is nothing to charge for as with names.
const UTF_8 = new TextDecoder('utf-8');

/** A process has at most 65,530 mappings unless its administrator raised the limit; all other texts are far shorter. */
const MAX_PARTS = 200_000;

/** The lines of a text without those that are empty. Bytes that are not UTF-8 become U+FFFD. */
export function readLines(input: StreamInput): string[] {
  return splitText(input, /[\n\0]/).filter((line) => line.trim() !== '');
}

/** The lines that have a separator, in order; keys may come again: `processor` does for each CPU. */
export function readPairs(input: StreamInput, separator: ':' | '='): KeyValue[] {
  return readLines(input).flatMap((line) => splitPair(line, separator));
}

/** The texts between NULs, as /proc has command lines and environments. */
export function readNulList(input: StreamInput): string[] {
  const texts = splitText(input, /\0/);
  // What stands after the last NUL is nothing; an empty argument before it is one.
  if (texts.at(-1) === '') texts.pop();
  return texts;
}

/** Hostile texts are nothing but separators: 16 MB of them would become 16 million strings. */
function splitText({ bytes, warn }: StreamInput, separator: RegExp): string[] {
  const parts = UTF_8.decode(bytes.array).split(separator, MAX_PARTS + 1);
  if (parts.length <= MAX_PARTS) return parts;
  warn(`only the first ${MAX_PARTS} parts are read`);
  return parts.slice(0, MAX_PARTS);
}

/** Splits at the first separator: `a=b=c` is a and `b=c`. */
export function splitPair(line: string, separator: ':' | '='): KeyValue[] {
  const at = line.indexOf(separator);
  return at === -1 ? [] : [[unquote(line.slice(0, at)), unquote(line.slice(at + 1))]];
}

function unquote(text: string): string {
  const trimmed = text.trim();
  return trimmed.length >= 2 && trimmed.startsWith('"') && trimmed.endsWith('"') ? trimmed.slice(1, -1) : trimmed;
}
