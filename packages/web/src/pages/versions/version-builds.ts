// A version with its builds, and which of these are promoted with it.
import { formatPlatform } from '@chauffeur/contract/format';
import type { Platform } from '@chauffeur/contract/identity';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getVersion } from '@chauffeur/contract/operations/versions';

export type VersionDetail = OutputOf<typeof getVersion>;

/** A ready build for each platform. The server picks the same platforms, and its own build on each of them. */
export function buildsToPromote<Build extends Platform & { readonly state: string }>(
  builds: readonly Build[],
): Build[] {
  const ready = builds.filter(({ state }) => state === 'ready');
  return ready.filter(
    (build, index) => ready.findIndex((other) => formatPlatform(other) === formatPlatform(build)) === index,
  );
}
