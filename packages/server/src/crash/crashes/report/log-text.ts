// Reads texts that programs write, such as the end of a log: as UTF-8, or as UTF-16, which programs for Windows write.
import { redactUserPaths } from '@chauffeur/contract/home-folders';

/** This many bytes are enough to be sure, even if the text begins with a table of boxes. */
const SAMPLE_BYTES = 4096;

/**
 * The zeros that a sample of UTF-16 has. Few are enough in a long one, because text in any language has spaces, digits
 * and line breaks.
 */
function minZeros(length: number): number {
  return Math.min(length / 4, Math.max(40, length / 32));
}

/**
 * The encoding of a text, or of a part of one that begins at an even position. In UTF-16, every second byte of Latin
 * letters, spaces and digits is zero; UTF-8 has none.
 */
export function textEncodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = [0, 0];
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2]! += 1;
  const [high = 0, low = 0] = zeros;
  const many = minZeros(sample.length);
  if (low > many && high === 0) return 'utf-16le';
  return high > many && low === 0 ? 'utf-16be' : 'utf-8';
}

/**
 * The start of the last `length` bytes of a text of `size` bytes, at an even position: UTF-16 can be decoded from
 * there.
 */
export function tailStartOf(size: number, length: number): number {
  const start = Math.max(0, size - length);
  return start + (start % 2);
}

/**
 * The text, or the part of one that begins at an even position, without a byte order mark. What is neither UTF-8 nor
 * UTF-16 becomes U+FFFD.
 */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(textEncodingOf(bytes)).decode(bytes);
}

/** Terminal escape sequences, control characters except tabs and line breaks, and bidirectional controls. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed.
const UNPRINTABLE = /\x1b\[[0-9;]*[A-Za-z]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Returns `bytes` as text without control characters and user names; what is neither UTF-8 nor UTF-16 becomes U+FFFD.
 * If the log has more text before them, the first line is probably incomplete, and is left out unless it is the only
 * one.
 */
export function readLogTail(bytes: Uint8Array, hasMoreBefore: boolean): string {
  const text = decodeText(bytes).replaceAll('\r\n', '\n');
  const lineEnd = hasMoreBefore ? text.indexOf('\n') : -1;
  return redactUserPaths(text.slice(lineEnd + 1).replace(UNPRINTABLE, ''));
}
