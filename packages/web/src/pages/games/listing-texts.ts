// Texts of a listing: the tags that a developer types, and the HTML that shows the widget on another website.
import { LIMITS } from '@chauffeur/contract/limits';

const TAG = /^[a-z0-9][a-z0-9-]{0,31}$/;

type ReadTags = { readonly tags: string[]; readonly problem: string | null };

/** Reads tags separated by commas. Spaces inside a tag become hyphens. `problem` says why the tags are invalid. */
export function readTags(text: string): ReadTags {
  const typed = text.split(',').map((tag) => tag.trim().toLowerCase().replace(/\s+/g, '-'));
  const tags = [...new Set(typed.filter((tag) => tag !== ''))];
  const invalid = tags.find((tag) => !TAG.test(tag));
  if (invalid !== undefined)
    return { tags, problem: `“${invalid}” is not a valid tag. Use up to 32 letters (a to z), digits and hyphens.` };
  return { tags, problem: tags.length > LIMITS.gameTags ? `Use at most ${LIMITS.gameTags} tags.` : null };
}

const SIZE = { width: 560, height: 170 } as const;

/** Writes the HTML of a widget's frame. The name of the game can't end its attribute or start another element. */
export function writeWidgetCode(address: string, name: string): string {
  const title = name.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<iframe src="${address}" title="${title}" width="${SIZE.width}" height="${SIZE.height}" style="border: 0; max-width: 100%" loading="lazy"></iframe>`;
}
