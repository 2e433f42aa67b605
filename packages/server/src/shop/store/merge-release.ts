// Merges the builds of a version for several platforms into one release: what all of them say is said once, and the rest
// names its platforms.
import type { Arch, Os } from '@chauffeur/contract/identity';

type Platform = { readonly os: Os; readonly arch: Arch };
type Change = { readonly title: string; readonly description: string };

export type ReleasedBuild = Platform & {
  readonly size: number;
  readonly title: string;
  readonly changelog: readonly Change[];
};

/** `platforms` is null if it is true of all of them. */
type Part<Said> = Said & { readonly platforms: Platform[] | null };

export type MergedRelease = {
  readonly titles: Part<{ readonly title: string }>[];
  readonly changes: Part<Change>[];
  readonly platforms: (Platform & { readonly size: number })[];
};

const nameOf = ({ os, arch }: Platform) => `${os} ${arch}`;
const byName = (a: Platform, b: Platform) => (nameOf(a) < nameOf(b) ? -1 : 1);

/** The newest build comes first. Of several builds for a platform, it is the only one that counts. */
export function mergeRelease(version: string, builds: readonly ReleasedBuild[]): MergedRelease {
  const newest = [...Map.groupBy(builds, nameOf).values()].map(([first]) => first!);
  const isTitled = ({ title }: ReleasedBuild) => title !== '' && title !== version;
  return {
    // A build without a title doesn't contradict that of the others.
    titles: mergeParts(newest.filter(isTitled), ({ title }) => [{ title }]),
    changes: mergeParts(newest, ({ changelog }) => changelog),
    platforms: newest.map(({ os, arch, size }) => ({ os, arch, size })).sort(byName),
  };
}

/** In the order of the first build, followed by what only others have. */
function mergeParts<Said extends object>(
  builds: readonly ReleasedBuild[],
  read: (build: ReleasedBuild) => readonly Said[],
): Part<Said>[] {
  const parts = new Map<string, { said: Said; builds: Set<ReleasedBuild> }>();
  for (const build of builds)
    for (const said of read(build)) {
      const key = JSON.stringify(Object.entries(said).sort());
      const part = parts.get(key) ?? { said, builds: new Set() };
      part.builds.add(build);
      parts.set(key, part);
    }
  return [...parts.values()].map(({ said, builds: having }) => ({
    ...said,
    platforms: having.size === builds.length ? null : [...having].map(({ os, arch }) => ({ os, arch })).sort(byName),
  }));
}
