// Decides whether a text can be a name: of an account, which players see as the developer of a game, or of what
// developers name themselves, such as a crash group.
import { LIMITS } from './limits.ts';

type Rule = { readonly isBroken: (name: string) => boolean; readonly advice: string };

/**
 * Names without any of these consist only of whitespace, joiners, selectors or combining marks, which are invisible.
 */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * Characters without a glyph and characters that reorder their neighbours (Unicode Technical Report 36, section 2.7):
 * control characters, line breaks, direction marks, zero-width spaces, tags, private-use and unassigned characters, and
 * blank letters. The two joiners and the emoji selector are allowed because scripts and emoji need them.
 */
const HIDDEN =
  /(?!\u200C|\u200D|\uFE0F)(?:[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]|\u034F|[\u115F\u1160]|\u17B4|\u17B5|\u2800|\u3164|\uFFA0|[\uFE00-\uFE0F]|[\u{E0100}-\u{E01EF}])/u;

/** More marks on one letter than any script uses; they would run into the lines above and below. */
const STACKED_MARKS = /\p{M}{7,}/u;

const rulesFor = (maxLength: number): readonly Rule[] => [
  { isBroken: (name) => !VISIBLE.test(name), advice: 'use at least one visible character' },
  {
    isBroken: (name) => name.length > 2 * maxLength || [...name].length > maxLength,
    advice: `use at most ${maxLength} characters`,
  },
  {
    isBroken: (name) => HIDDEN.test(name),
    advice: 'remove line breaks, control characters and invisible characters',
  },
  { isBroken: (name) => STACKED_MARKS.test(name), advice: 'use fewer accents on one letter' },
];

/** The name as it is stored: without spaces around it, in one of Unicode's equivalent spellings. */
export function tidyDisplayName(name: string): string {
  return name.trim().normalize('NFC');
}

/** What to change, as the end of a sentence; null if the name is valid. Accepts anything a caller can send. */
export function findDisplayNameProblem(name: unknown, maxLength: number = LIMITS.displayNameLength): string | null {
  if (typeof name !== 'string') return 'send it as text';
  const tidy = tidyDisplayName(name);
  return rulesFor(maxLength).find(({ isBroken }) => isBroken(tidy))?.advice ?? null;
}
