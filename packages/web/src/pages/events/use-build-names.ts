// The names of a game's builds by ID. Only builds with recent devices have one; these are the builds that send events.
import { formatPlatform } from '@chauffeur/contract/format';
import { listHealth } from '@chauffeur/contract/operations/health';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { shorten } from '../../ui/format.ts';

/** Returns a function that formats a build ID: `1.2.0 Linux x86_64`, or the shortened ID of any other build. */
export function useBuildNames(gameUid: string): (buildId: string) => string {
  const { data } = useQuery(ask(listHealth, { uid: gameUid }));
  const names = new Map(data?.builds.map((build) => [build.build_id, `${build.version} ${formatPlatform(build)}`]));
  return (buildId) => names.get(buildId) ?? shorten(buildId);
}
