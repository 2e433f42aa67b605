// Makes any text fit on one line of a report.

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
