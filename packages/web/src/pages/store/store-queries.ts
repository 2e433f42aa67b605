// The queries of the store pages, in their own module so that the router can start them while a page's code is still loading.
import type { Os } from '@chauffeur/contract/identity';
import { browseGames } from '@chauffeur/contract/operations/browse';
import { getDeveloper } from '@chauffeur/contract/operations/developers';
import { getProvenance, getPublicGame } from '@chauffeur/contract/operations/store';
import { ask, pagesQuery } from '../../api.ts';

export const gameQuery = (uid: string, channel?: string) =>
  ask(getPublicGame, { uid, ...(channel !== undefined && { channel }) });

export const provenanceQuery = (uid: string, file_uid: string) => ask(getProvenance, { uid, file_uid });

export type BrowseFilters = {
  readonly q?: string | undefined;
  readonly os?: string | undefined;
  readonly tag?: string | undefined;
};

export function browseInput({ q, os, tag }: BrowseFilters) {
  return {
    ...(q !== undefined && { q }),
    ...(os !== undefined && { os: os as Os }),
    ...(tag !== undefined && { tag }),
  };
}

/** The games that match, page by page. */
export const browseQuery = (filters: BrowseFilters) => pagesQuery(browseGames, browseInput(filters));

/** A developer with their games, page by page. */
export const developerQuery = (handle: string) => pagesQuery(getDeveloper, { handle });
