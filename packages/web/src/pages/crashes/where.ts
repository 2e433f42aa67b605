// Says in which versions a group was seen, next to the newest build: whether an update brought it, or ended it.

type Seen = { readonly version: string };

/** `builds` are those with reports of the group, some of `count`; null where nothing can be said. */
export function sayWhere(builds: readonly Seen[], count: number, newest: string | undefined): string | null {
  const versions = new Set(builds.map(({ version }) => version));
  const [only] = versions;
  const isWhole = count === builds.length;
  if (newest === undefined || only === undefined) return null;
  if (isWhole && versions.size === 1 && only !== '') {
    return only === newest
      ? `Only in ${only}, the newest build`
      : `Only in ${only}; not in ${newest}, the newest build`;
  }
  if (versions.has(newest)) return `Also in ${newest}, the newest build`;
  return isWhole ? `Not in ${newest}, the newest build` : null;
}
