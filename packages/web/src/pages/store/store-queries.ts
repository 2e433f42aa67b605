// What the pages of the store ask for; apart from them, so that it is asked for while their code is still coming.
import { browseGames } from '@chauffeur/contract/operations/browse';
import { getDeveloper } from '@chauffeur/contract/operations/developers';
import { getProvenance, getPublicGame } from '@chauffeur/contract/operations/store';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { ask, call } from '../../api.ts';

export const gameQuery = (uid: string, channel?: string) =>
  ask(getPublicGame, { uid, ...(channel !== undefined && { channel }) });

export const provenanceQuery = (uid: string, file_uid: string) => ask(getProvenance, { uid, file_uid });

export type Wanted = {
  readonly q?: string | undefined;
  readonly os?: string | undefined;
  readonly tag?: string | undefined;
};

/** What is looked for, page by page. */
export function foundQuery({ q, os, tag }: Wanted) {
  const wanted = {
    ...(q !== undefined && { q }),
    ...(os !== undefined && { os: os as 'web' }),
    ...(tag !== undefined && { tag }),
  };
  return infiniteQueryOptions({
    queryKey: [browseGames.id, wanted] as const,
    queryFn: ({ pageParam, signal }) =>
      call(browseGames, { ...wanted, ...(pageParam !== null && { cursor: pageParam }) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/** A developer with their games, page by page. */
export function developerQuery(handle: string) {
  return infiniteQueryOptions({
    queryKey: [getDeveloper.id, handle] as const,
    queryFn: ({ pageParam, signal }) =>
      call(getDeveloper, { handle, ...(pageParam !== null && { cursor: pageParam }) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}
