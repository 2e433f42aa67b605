// Compares the versions in which a crash group occurs with the newest build: did an update introduce or fix it?

type Affected = { readonly version: string };

/**
 * `builds` are builds with reports of the group, possibly not all; `buildCount` is their total number. A deleted build has an
 * empty version. Returns null if nothing certain can be said.
 */
export function formatAffectedVersions(
  builds: readonly Affected[],
  buildCount: number,
  newest: string | undefined,
): string | null {
  const versions = new Set(builds.map(({ version }) => version));
  const [first] = versions;
  const isComplete = buildCount === builds.length;
  if (newest === undefined || first === undefined) return null;
  if (isComplete && versions.size === 1 && first !== '') {
    return first === newest ? `Only in ${first} (newest build)` : `Only in ${first}, not in ${newest} (newest build)`;
  }
  if (versions.has(newest)) return `Also in ${newest} (newest build)`;
  return isComplete ? `Not in ${newest} (newest build)` : null;
}
