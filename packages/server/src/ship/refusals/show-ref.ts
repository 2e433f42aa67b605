// How a text that was sent as a build id is stored and shown.

/** Longer than a uid, and than the placeholders of guides. */
const MAX_LENGTH = 64;

/** Controls, invisible and bidirectional characters, and spaces other than the usual one. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{M}]|(?! )\p{Zs}/gu;

/** The start of a text, with characters that can't be seen in escaped form: `a\u{202e}b`. */
export function showRef(text: string): string {
  // Characters of many units can be cut in the middle, which leaves half a pair; it is escaped like a control.
  const start = text.slice(0, MAX_LENGTH);
  const shown = start.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
  const isCut = text.length > MAX_LENGTH || shown.length > MAX_LENGTH;
  return isCut ? `${shown.slice(0, MAX_LENGTH - 1)}…` : shown;
}
