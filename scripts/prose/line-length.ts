// Finds lines of hand-written Markdown that are too long for a diff. Tables can't be wrapped, so they are exempt.

/** In characters. */
const MAX_LENGTH = 120;

export type LongLine = {
  /** From 1. */
  readonly line: number;
  readonly length: number;
};

/** Returns none for a generated page, which begins with a comment that says so. */
export function findLongLines(markdown: string): LongLine[] {
  if (markdown.startsWith('<!-- Generated')) return [];
  return markdown
    .split('\n')
    .map((text, index) => ({ line: index + 1, length: [...text].length, isTable: /^\s*\|/.test(text) }))
    .filter(({ length, isTable }) => length > MAX_LENGTH && !isTable)
    .map(({ line, length }) => ({ line, length }));
}
