// How builds are called, by their ids: those that had a device lately, which are the ones that events come from.
import { listHealth } from '@chauffeur/contract/operations/health';
import { sayPlatform } from '@chauffeur/contract/platform-words';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { shorten } from '../../ui/say.ts';

/** `1.2.0 Linux x86_64`; of others their id, shortened. */
export function useBuildNames(gameUid: string): (buildId: string) => string {
  const { data } = useQuery(ask(listHealth, { uid: gameUid }));
  const names = new Map(data?.builds.map((build) => [build.build_id, `${build.version} ${sayPlatform(build)}`]));
  return (buildId) => names.get(buildId) ?? shorten(buildId);
}
