// Makes any text fit for one line of a report.

/** Spaces of all kinds become one space, what cannot be seen goes, and no half of a surrogate pair stays. */
export function toPrintable(text: string): string {
  return text.toWellFormed().replace(/\s+/g, ' ').replace(/\p{C}/gu, '').trim();
}

/** At most `limit` UTF-16 units, with `...` where it was cut; never cuts through a character. */
export function cutTo(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = text.slice(0, limit - 3);
  return `${kept.isWellFormed() ? kept : kept.slice(0, -1)}...`;
}
