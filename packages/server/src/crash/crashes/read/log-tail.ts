// Turns the end of a log into text that is safe to show on a page.
import { decodeText } from '../report/text-encoding.ts';
import { redactUserPaths } from '../report/user-paths.ts';

/** Terminal escape sequences, control characters except tabs and line breaks, and bidirectional controls. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed.
const UNPRINTABLE = /\x1b\[[0-9;]*[A-Za-z]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Returns `bytes` as text without control characters and user names; what is neither UTF-8 nor UTF-16 becomes U+FFFD. If the log has more
 * text before them, the first line is probably incomplete, and is left out unless it is the only one.
 */
export function readLogTail(bytes: Uint8Array, hasMoreBefore: boolean): string {
  const text = decodeText(bytes).replaceAll('\r\n', '\n');
  const lineEnd = hasMoreBefore ? text.indexOf('\n') : -1;
  return redactUserPaths(text.slice(lineEnd + 1).replace(UNPRINTABLE, ''));
}
