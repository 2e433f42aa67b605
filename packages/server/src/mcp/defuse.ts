// Makes text harmless to read: what cannot be seen, or turns the reading order around, is shown as an escape.

/**
 * Control characters but tab and line feed, line and paragraph separators, private use and unassigned characters, all of Unicode’s format
 * characters (marks of direction, zero-width spaces, tags) but the two joiners that scripts and emoji need, and the selectors of variants
 * but the emoji’s own: in tags and selectors, whole sentences are hidden (Unicode Technical Report 36, section 3).
 */
const HIDDEN =
  /(?!\t|\n|\u200C|\u200D|\uFE0F)(?:[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]|\u034F|[\u115F\u1160]|\u17B4|\u17B5|\u3164|\uFFA0|[\uFE00-\uFE0F]|[\u{E0100}-\u{E01EF}])/gu;

/** `text` with every hidden character as `\u{202e}`; line breaks of any kind as line feeds. */
export function defuse(text: string): string {
  return text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
