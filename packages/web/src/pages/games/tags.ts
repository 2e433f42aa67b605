// Reads the tags of a game from the text that a developer types.
import { LIMITS } from '@chauffeur/contract/limits';

const TAG = /^[a-z0-9][a-z0-9-]{0,31}$/;

export type ReadTags = { readonly tags: string[]; readonly problem: string | null };

/** Parted by commas; blanks inside a tag become `-`. */
export function readTags(text: string): ReadTags {
  const typed = text.split(',').map((tag) => tag.trim().toLowerCase().replace(/\s+/g, '-'));
  const tags = [...new Set(typed.filter((tag) => tag !== ''))];
  const wrong = tags.find((tag) => !TAG.test(tag));
  if (wrong !== undefined) return { tags, problem: `“${wrong}”: a tag has letters a to z, digits and -, up to 32.` };
  return { tags, problem: tags.length > LIMITS.gameTags ? `At most ${LIMITS.gameTags} tags.` : null };
}
