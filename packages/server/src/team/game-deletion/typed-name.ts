// Compares a typed name with the name of a game as a page shows it.

/** Ignores differences that are invisible on a page: repeated spaces, and the Unicode composition of letters. */
export function isNameTyped(name: string, typed: string): boolean {
  return normalize(name) === normalize(typed);
}

function normalize(text: string): string {
  return text.normalize('NFC').replace(/\s+/gu, ' ').trim();
}
