// The game whose pages are open: its frame has loaded it before any of them is shown.
import { getGame } from '@chauffeur/contract/operations/games';
import { type QueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ask } from '../../api.ts';

const gameQuery = (slug: string) => ask(getGame, { uid: slug });

/** Rejects with ApiError 4040 where the visitor has no such game. */
export async function loadGame(queries: QueryClient, slug: string): Promise<void> {
  await queries.ensureQueryData(gameQuery(slug));
}

/** For pages below `/dev/{slug}`. */
export function useGame() {
  const { slug } = useParams({ from: '/signed-in/dev/$slug' });
  return useSuspenseQuery(gameQuery(slug)).data;
}

export type OpenGame = ReturnType<typeof useGame>;
