// The colours of a game's builds. All charts share one list: the builds with recent devices.
import { listHealth } from '@chauffeur/contract/operations/health';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../api.ts';
import { buildColours, colourOfBuild } from './build-colours.ts';

/** Builds without recent devices get the colour of their id alone. */
export function useBuildColours(gameUid: string): (buildId: string) => number {
  const { data } = useQuery(ask(listHealth, { uid: gameUid }));
  const recent = data?.builds.map(({ build_id }) => build_id).toReversed() ?? [];
  const colours = buildColours(recent);
  return (buildId) => colours.get(buildId) ?? colourOfBuild(buildId);
}
