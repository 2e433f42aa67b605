// The end of a log as text for a page: whatever a player's machine wrote there.
import { redactUserPaths } from './user-paths.ts';

/** Control characters but tab and line breaks, colours of terminals first, and those that turn the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
const UNPRINTABLE = /\x1b\[[0-9;]*[A-Za-z]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|[\u202a-\u202e\u2066-\u2069]/g;

/**
 * `bytes` as text, bytes that are no UTF-8 as U+FFFD, without what steers a terminal and without the names of people’s folders. Where there
 * is more before them, they begin somewhere in a line, of which the rest is left out: unless that line is all there is.
 */
export function readLogTail(bytes: Uint8Array, hasMoreBefore: boolean): string {
  const text = new TextDecoder().decode(bytes).replaceAll('\r\n', '\n');
  const lineEnd = hasMoreBefore ? text.indexOf('\n') : -1;
  return redactUserPaths(text.slice(lineEnd + 1).replace(UNPRINTABLE, ''));
}
