// Parses the tags that a developer types, separated by commas.
import { LIMITS } from '@chauffeur/contract/limits';

const TAG = /^[a-z0-9][a-z0-9-]{0,31}$/;

export type ReadTags = { readonly tags: string[]; readonly problem: string | null };

/** Spaces inside a tag become hyphens. `problem` says why the tags are invalid. */
export function readTags(text: string): ReadTags {
  const typed = text.split(',').map((tag) => tag.trim().toLowerCase().replace(/\s+/g, '-'));
  const tags = [...new Set(typed.filter((tag) => tag !== ''))];
  const invalid = tags.find((tag) => !TAG.test(tag));
  if (invalid !== undefined)
    return { tags, problem: `“${invalid}” is not a valid tag. Use up to 32 letters (a to z), digits and hyphens.` };
  return { tags, problem: tags.length > LIMITS.gameTags ? `Use at most ${LIMITS.gameTags} tags.` : null };
}
