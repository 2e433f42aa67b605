// Makes text safe to read by escaping characters that are invisible or change the reading order.

/**
 * Control characters except tab and line feed; line and paragraph separators; private-use and unassigned characters;
 * format characters (direction marks, zero-width spaces, tags) except the two joiners that scripts and emoji need; and
 * variation selectors except the emoji selector, because tags and selectors can hide whole sentences (Unicode Technical
 * Report 36, section 3).
 */
const HIDDEN =
  /(?!\t|\n|\u200C|\u200D|\uFE0F)(?:[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]|\u034F|[\u115F\u1160]|\u17B4|\u17B5|\u3164|\uFFA0|[\uFE00-\uFE0F]|[\u{E0100}-\u{E01EF}])/gu;

/** Returns `text` with hidden characters in the form `\u{202e}`, and all line breaks as line feeds. */
export function escapeHidden(text: string): string {
  return text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
