// Makes any text fit on one line of a report, and masks its variable parts, such as numbers and paths, so that equal
// faults get equal texts.

/** Collapses whitespace into single spaces, removes invisible characters, and replaces lone surrogates. */
export function toPrintable(text: string): string {
  return text.toWellFormed().replace(/\s+/g, ' ').replace(/\p{C}/gu, '').trim();
}

/** Cuts the text to at most `limit` UTF-16 units, including a final `...`. Never splits a surrogate pair. */
export function cutTo(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = text.slice(0, limit - 3);
  return `${kept.isWellFormed() ? kept : kept.slice(0, -1)}...`;
}

/** Longer texts are cut before masking; a signature has room for far less. */
const MAX_LENGTH = 4096;

const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, '<id>'],
  [/\b0x[0-9a-f]+\b/gi, '<addr>'],
  // Folders differ between machines; only the file name is kept. The name of a player's folder may be `<user>` already.
  [/(?<![\w.@+~\\/-])(?:[A-Za-z]:)?[\w.@+~-]*(?:[\\/](?:[\w.@+~-]+|<user>))*[\\/](?=[\w@+~-]*\.\w)/g, ''],
  [/\b[0-9a-f]{16,}\b/gi, '<id>'],
  [/(?<!\w|(?<!\.)\.)-?\d+(?:\.\d+)*(?!\w|\.\d)/g, '<n>'],
  // Numbers with a unit: `120ms`, `4096x4096`, `12:00:00Z`, but not `2D`.
  [/(?<![\w.])(?![23]d)\d+(?:\.\d+)*(?=[a-z])/gi, '<n>'],
  [/(?<=<n>[a-z]{1,3})\d+(?:\.\d+)*/gi, '<n>'],
];

/**
 * Returns the text on one line, with numbers, addresses and ids replaced and folders removed: `index 7 of 3` becomes
 * `index <n> of <n>`.
 */
export function maskText(text: string): string {
  return MASKS.reduce(
    (masked, [pattern, mask]) => masked.replace(pattern, mask),
    toPrintable(text.slice(0, MAX_LENGTH)),
  );
}
