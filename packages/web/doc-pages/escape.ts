// Escapes text for HTML, and reads it back.

const ENTITIES: readonly [string, string][] = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
];

/** Escapes text for elements and for attributes in quotes. */
export function escapeText(text: string): string {
  return ENTITIES.reduce((escaped, [sign, entity]) => escaped.replaceAll(sign, entity), text);
}

/** Undoes `escapeText`. */
export function plainOf(escaped: string): string {
  return ENTITIES.toReversed().reduce((text, [sign, entity]) => text.replaceAll(entity, sign), escaped);
}
