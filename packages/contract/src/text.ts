// The characters that names, lines and texts for other people cannot have, the same for all of them. A text that a
// program or a library delivers is cleaned of them instead.

/**
 * What a line must not contain: control characters, line breaks, invisible characters, and formatting that changes the
 * direction of the text around it (UAX #9, section 2). As ranges of a class, because readers of JSON Schema in other
 * languages don't know Unicode classes. The two joiners are allowed, because scripts and emoji need them.
 */
export const LINE_HIDDEN = `\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb`;

/**
 * What a text of several lines must not contain: all but line breaks, tabs, the marks that single letters of
 * right-to-left scripts need, and invisible characters, which are often pasted and do no harm there.
 */
const TEXT_HIDDEN = `\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u206f\\ufff9-\\ufffb`;

/** Characters without a glyph that a line may have, but not consist of. */
const BLANK = `\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u200c\\u200d\\u2800\\u3164\\ufe00-\\ufe0f\\uffa0`;

export const LINE_PATTERN = `^(?! *[${BLANK}][ ${BLANK}]*$)[^${LINE_HIDDEN}]*$`;
export const TEXT_PATTERN = `^[^${TEXT_HIDDEN}]*$`;

const HIDDEN_CHARACTER = new RegExp(`[${LINE_HIDDEN}]`, 'g');
const HIDDEN_IN_LINE = new RegExp(`[${LINE_HIDDEN}]+`, 'g');
const HIDDEN_IN_TEXT = new RegExp(`[${TEXT_HIDDEN}]+`, 'g');

/** Whether a text has a character that no line may have. */
export function hasHiddenCharacter(text: string): boolean {
  return text.search(HIDDEN_CHARACTER) >= 0;
}

/** The text with each such character made visible. */
export function showHidden(text: string): string {
  return text.replace(HIDDEN_CHARACTER, '\ufffd');
}

/** The text as one line: each run of characters that a line cannot have becomes `replacement`. */
export function cleanLine(text: string, replacement = ' '): string {
  return text.toWellFormed().replace(HIDDEN_IN_LINE, replacement).trim();
}

/** The text without characters that it cannot have. */
export function cleanText(text: string): string {
  return text.toWellFormed().replace(HIDDEN_IN_TEXT, '');
}
