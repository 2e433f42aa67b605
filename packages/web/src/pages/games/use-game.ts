// The game whose developer pages are open. The route loads it before any of them is rendered.
import { getGame } from '@chauffeur/contract/operations/games';
import { getPublicGame } from '@chauffeur/contract/operations/store';
import { type QueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ask } from '../../api.ts';

const gameQuery = (slug: string) => ask(getGame, { uid: slug });

/** Loads the game. Rejects with `notFound` if it doesn't exist or the visitor has no access to it. */
export function loadGame(queries: QueryClient, slug: string): Promise<{ readonly slug: string }> {
  return queries.ensureQueryData(gameQuery(slug));
}

/** The game of the pages below `/dev/{slug}`. */
export function useGame() {
  const { slug } = useParams({ from: '/signed-in/dev/$slug' });
  return useSuspenseQuery(gameQuery(slug)).data;
}

export type OpenGame = ReturnType<typeof useGame>;

/** The query of a game as players see it. It is here so that the router can start it while a page's code is loading. */
export const publicGameQuery = (uid: string, channel?: string) =>
  ask(getPublicGame, { uid, ...(channel !== undefined && { channel }) });
