// Whether somebody typed the name of a game as it is shown to them.

/** A page shows several spaces as one, and the same letter may be composed in two ways. */
export function isNameTyped(name: string, typed: string): boolean {
  return normalize(name) === normalize(typed);
}

function normalize(text: string): string {
  return text.normalize('NFC').replace(/\s+/gu, ' ').trim();
}
