// The colours of a game's builds, from the one list that all of its charts share: those that had a device lately.
import { listHealth } from '@chauffeur/contract/operations/health';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../api.ts';
import { buildColours, colourOfBuild } from './build-colours.ts';

/** Others, which had no device lately, have the colour that their id alone leads to. */
export function useBuildColours(gameUid: string): (buildId: string) => number {
  const { data } = useQuery(ask(listHealth, { uid: gameUid }));
  const known = data?.builds.map(({ build_id }) => build_id).toReversed() ?? [];
  const colours = buildColours(known);
  return (buildId) => colours.get(buildId) ?? colourOfBuild(buildId);
}
