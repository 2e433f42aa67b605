// Texts that people wrote for a failed check, without what differs each time that it fails.
import { toPrintable } from './printable.ts';

/** Longer texts are cut before the work; a signature has room for less. */
const MAX_TEXT = 4096;

const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, '<id>'],
  [/\b0x[0-9a-f]+\b/gi, '<addr>'],
  // Only the file's name is the same on each build machine.
  [/(?<![\w.@+~\\/-])(?:[A-Za-z]:)?[\w.@+~-]*(?:[\\/][\w.@+~-]+)*[\\/](?=[\w@+~-]*\.\w)/g, ''],
  [/\b[0-9a-f]{16,}\b/gi, '<id>'],
  [/(?<![\w.])-?\d+(?:\.\d+)*(?!\w|\.\d)/g, '<n>'],
];

/** One line, with numbers, addresses, ids and folders replaced: `index 7 of 3` is `index <n> of <n>`. */
export function maskText(text: string): string {
  return MASKS.reduce((masked, [pattern, mask]) => masked.replace(pattern, mask), toPrintable(text.slice(0, MAX_TEXT)));
}
