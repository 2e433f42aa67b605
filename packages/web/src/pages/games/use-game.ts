// The game whose developer pages are open. The route loads it before any of them is rendered.
import { getGame } from '@chauffeur/contract/operations/games';
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
