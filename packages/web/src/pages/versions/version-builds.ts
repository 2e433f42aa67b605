// Decides which builds of a version are promoted with it.
import { formatPlatform } from '@chauffeur/contract/format';
import type { Platform } from '@chauffeur/contract/identity';

/** A ready build for each platform. The server picks the same platforms, and its own build on each of them. */
export function buildsToPromote<Build extends Platform & { readonly state: string }>(
  builds: readonly Build[],
): Build[] {
  const ready = builds.filter(({ state }) => state === 'ready');
  return ready.filter(
    (build, index) => ready.findIndex((other) => formatPlatform(other) === formatPlatform(build)) === index,
  );
}
