// Decides which facts about a game are stored: trimmed, each one once, and with links that lead to
// websites over https only.

import { errors } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { updateGame } from '@chauffeur/contract/operations/games';
import { readVideoLink } from '@chauffeur/contract/video-link';
import { readWebAddress } from '@chauffeur/contract/web-address';

const FACTS = ['links', 'videos', 'languages', 'requirements', 'content_notes', 'install_notes'] as const;
export type Facts = Pick<OutputOf<typeof updateGame>, (typeof FACTS)[number]>;
export type FactChanges = { readonly [Name in keyof Facts]?: Facts[Name] | undefined };

export const NO_FACTS: Facts = {
  links: [],
  videos: [],
  languages: [],
  requirements: [],
  content_notes: [],
  install_notes: [],
};

/** Whether the changes contain a fact. */
export function hasFacts(changes: FactChanges): boolean {
  return FACTS.some((name) => changes[name] !== undefined);
}

/** The facts after the changes. Throws `invalid`. */
export function changeFacts(
  before: Facts,
  { links, videos, languages, requirements, content_notes: notes, install_notes: installNotes }: FactChanges,
): Facts {
  return {
    links: links?.map(readLink).filter(isFirst('links', ({ kind }) => kind)) ?? before.links,
    videos: videos === undefined ? before.videos : [...new Set(videos.map(readVideo))],
    languages: languages === undefined ? before.languages : [...new Set(languages)],
    requirements:
      requirements
        ?.map(trimRequirements)
        .filter(isFirst('requirements', ({ os }) => os))
        .filter(isGiven) ?? before.requirements,
    content_notes:
      notes === undefined ? before.content_notes : [...new Set(notes.map((note) => note.trim()))].filter(Boolean),
    install_notes:
      installNotes
        ?.map(({ os, text }) => ({ os, text: text.trim() }))
        .filter(isFirst('install_notes', ({ os }) => os)) ?? before.install_notes,
  };
}

type Link = Facts['links'][number];
type Requirements = Facts['requirements'][number];

/** The address as browsers write it, so that what is shown is where it leads. */
function readLink({ kind, url }: Link, index: number): Link {
  const address = readWebAddress(url);
  if (address?.protocol !== 'https:')
    throw errors.invalid(
      `links[${index}].url: must be an https address without a user name, such as https://example.com.`,
    );
  return { kind, url: address.href };
}

/** The address of the page of the video, without anything else that was in the address. */
function readVideo(address: string, index: number): string {
  const video = readVideoLink(address);
  if (video === null)
    throw errors.invalid(
      `videos[${index}]: must be the address of a video on YouTube or Vimeo, such as https://www.youtube.com/watch?v=….`,
    );
  return video.page;
}

function trimRequirements({ os, minimum, recommended }: Requirements): Requirements {
  return { os, minimum: minimum.trim(), recommended: recommended.trim() };
}

function isGiven({ minimum, recommended }: Requirements): boolean {
  return minimum !== '' || recommended !== '';
}

/** A filter that lets each key pass once, and throws `invalid` for the second. */
function isFirst<Item>(field: string, keyOf: (item: Item) => string): (item: Item) => boolean {
  const seen = new Set<string>();
  return (item) => {
    const key = keyOf(item);
    if (seen.has(key)) throw errors.invalid(`${field}: ${key} appears twice. Send it once.`);
    seen.add(key);
    return true;
  };
}
