// Decides which keys a blob may have. A key becomes a path on disk and part of a URL, so it is checked although we
// create it.

/** Suffixes that the stores use for blobs being written; no key may end like this. */
export const PART_SUFFIX = '.part';
export const TAIL_SUFFIX = '.tail';

/**
 * Segments of lowercase letters, digits, `.`, `_`, `=` and `-`, separated by slashes. None begins with a dot, so `..` cannot
 * occur.
 */
const KEY = /^[a-z0-9_-][a-z0-9._=-]*(\/[a-z0-9_-][a-z0-9._=-]*)*$/;

/** The longest key. S3 accepts 1,024 bytes including the prefix of the bucket and a suffix. */
const MAX_LENGTH = 512;

/** Whether `text` is a key, such as `files/<uuid>/<uuid>.zip`. */
export function isKey(text: string): boolean {
  return KEY.test(text) && text.length <= MAX_LENGTH && !text.endsWith(PART_SUFFIX) && !text.endsWith(TAIL_SUFFIX);
}

/** Throws if `key` is not a valid key, which is a bug of ours and never the caller's fault. */
export function assertKey(key: string): void {
  if (!isKey(key)) throw new Error(`Bad blob key: ${JSON.stringify(key)}`);
}
