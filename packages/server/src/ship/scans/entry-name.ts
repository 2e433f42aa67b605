// Formats the name of a zip entry for a message: short, and on one line whatever it contains.

const MAX_LENGTH = 80;

/**
 * The name in quotation marks. Unprintable characters and direction marks become `?`; a long name is cut in the middle.
 */
export function formatEntryName(name: string): string {
  const printable = [...name.slice(0, 4 * MAX_LENGTH).replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, '?')];
  if (name.length <= MAX_LENGTH) return `“${printable.join('')}”`;
  const tail = [...name.slice(-MAX_LENGTH).replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, '?')];
  return `“${printable.slice(0, MAX_LENGTH / 2).join('')}…${tail.slice(-MAX_LENGTH / 2 + 1).join('')}”`;
}
