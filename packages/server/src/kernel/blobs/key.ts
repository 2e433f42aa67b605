// Which names a blob may have: a key becomes a path on disk and a part of an address, so it is checked even though we make it.

/** Endings of the stores' own names for blobs that are being written; no key may end like this. */
export const PART_SUFFIX = '.part';
export const TAIL_SUFFIX = '.tail';

/** Segments of lowercase letters, digits, `.`, `_` and `-` with a slash between them; none begins with a dot, so `..` cannot occur. */
const KEY = /^[a-z0-9_-][a-z0-9._-]*(\/[a-z0-9_-][a-z0-9._-]*)*$/;

/** Most characters of a key; S3 takes 1,024 bytes with the bucket's prefix before and a suffix after it. */
const LONGEST = 512;

/** Whether `text` is such as `files/<uuid>/<uuid>.zip`. */
export function isKey(text: string): boolean {
  return KEY.test(text) && text.length <= LONGEST && !text.endsWith(PART_SUFFIX) && !text.endsWith(TAIL_SUFFIX);
}

/** Throws when `key` is no key. That is a mistake of ours, never the caller's. */
export function assertKey(key: string): void {
  if (!isKey(key)) throw new Error(`Bad blob key: ${JSON.stringify(key)}`);
}
