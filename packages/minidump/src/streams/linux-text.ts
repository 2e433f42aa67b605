// Reads texts from Linux's /proc, which dumps contain as streams: lines, `key: value` pairs, and NUL-separated lists.
import type { StreamInput } from '../minidump.ts';

/** The two sides of a line, without the spaces and quotes around them. */
export type KeyValue = readonly [key: string, value: string];

// Each byte of a stream is only decoded once, so this does not count against the copy limit of the dump.
const UTF_8 = new TextDecoder('utf-8');

/** By default, Linux allows 65,530 mappings per process; all other texts are far shorter. */
const MAX_PARTS = 200_000;

/** Returns the non-empty lines of a text. Invalid UTF-8 becomes U+FFFD. */
export function readLines(input: StreamInput): string[] {
  return splitText(input, /[\n\0]/).filter((line) => line.trim() !== '');
}

/** Returns the lines that have a separator, in order. Keys can be repeated, such as `processor` for each CPU. */
export function readPairs(input: StreamInput, separator: ':' | '='): KeyValue[] {
  return readLines(input).flatMap((line) => splitPair(line, separator));
}

/** Returns NUL-separated texts, such as command lines and environments in /proc. */
export function readNulList(input: StreamInput): string[] {
  const texts = splitText(input, /\0/);
  // The last NUL ends the list. An empty text before it is an empty argument.
  if (texts.at(-1) === '') texts.pop();
  return texts;
}

/** Limits the number of parts: a malicious text of 16 MB of separators would become 16 million strings. */
function splitText({ bytes, warn }: StreamInput, separator: RegExp): string[] {
  const parts = UTF_8.decode(bytes.array).split(separator, MAX_PARTS + 1);
  if (parts.length <= MAX_PARTS) return parts;
  warn(`only the first ${MAX_PARTS} parts were read`);
  return parts.slice(0, MAX_PARTS);
}

/** Splits at the first separator: `a=b=c` becomes `a` and `b=c`. */
function splitPair(line: string, separator: ':' | '='): KeyValue[] {
  const at = line.indexOf(separator);
  return at === -1 ? [] : [[unquote(line.slice(0, at)), unquote(line.slice(at + 1))]];
}

function unquote(text: string): string {
  const trimmed = text.trim();
  return trimmed.length >= 2 && trimmed.startsWith('"') && trimmed.endsWith('"') ? trimmed.slice(1, -1) : trimmed;
}
