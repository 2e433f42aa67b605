// Shows the name of a zip entry in a message: short, on one line, whatever it holds.

const LONGEST = 80;

/** The name in quotation marks; what does not print or would turn the text around becomes `?`, a long name loses its middle. */
export function showName(name: string): string {
  const printable = [...name.slice(0, 4 * LONGEST).replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, '?')];
  if (name.length <= LONGEST) return `“${printable.join('')}”`;
  const tail = [...name.slice(-LONGEST).replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, '?')];
  return `“${printable.slice(0, LONGEST / 2).join('')}…${tail.slice(-LONGEST / 2 + 1).join('')}”`;
}
