// Decides what can be done with builds that are selected in a list.
import { formatPlatform } from '@chauffeur/contract/format';
import type { Platform } from '@chauffeur/contract/identity';
import type { BuildStateName } from '../../ui/states.ts';

type Selected = Platform & { readonly build_id: string; readonly version: string; readonly state: BuildStateName };

/**
 * Why the builds can't be promoted together, as a sentence; null if they can. `ready` are builds of their version that
 * are ready: the server picks one for each platform, which has to be the selected one.
 */
export function whyNotPromoted(builds: readonly Selected[], ready: readonly Selected[]): string | null {
  const [first, second] = new Set(builds.map(({ version }) => version));
  if (second !== undefined) return `To promote, select builds of one version only, not ${first} and ${second}.`;
  const platforms = builds.map(formatPlatform);
  const double = platforms.find((platform, index) => platforms.indexOf(platform) !== index);
  if (double !== undefined) return `To promote, select only one build for ${double}.`;
  const unready = builds.find(({ state }) => state !== 'ready');
  if (unready !== undefined) return `${formatPlatform(unready)} can't be promoted: ${OBSTACLES[unready.state]}.`;
  if (builds.length === 1) return null;
  const other = ready.find(
    (each) => platforms.includes(formatPlatform(each)) && !builds.some(({ build_id }) => build_id === each.build_id),
  );
  return other === undefined
    ? null
    : `${first} has several builds for ${formatPlatform(other)}. Promote the selected builds one by one.`;
}

const OBSTACLES: Readonly<Record<BuildStateName, string>> = {
  ready: '',
  registered: 'it has no file yet',
  processing: 'its file is still being scanned',
  rejected: 'its file was rejected by the scan',
};
