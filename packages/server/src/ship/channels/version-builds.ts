// Decides which builds of a version a channel gets when the version is promoted: one for each platform.
import type { Platform } from '@chauffeur/contract/identity';

export type Candidate = Platform & {
  readonly build_id: string;
  readonly build_type: string;
  readonly channel: string;
  readonly created_at: Date;
  /** Whether players could download it: it has a file that passed its scan. */
  readonly offered: boolean;
};

/**
 * Picks a build for each platform, in the order of the platforms. A version can have several builds for one: games come
 * before other types, then builds that players could download, then builds registered for the channel, then newer ones.
 */
export function pickBuilds<Build extends Candidate>(builds: readonly Build[], channel: string): Build[] {
  const picked = new Map<string, Build>();
  for (const build of builds.toSorted((a, b) => compare(a, b, channel))) {
    const platform = platformKey(build);
    if (!picked.has(platform)) picked.set(platform, build);
  }
  return [...picked].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, build]) => build);
}

/** Equal for equal platforms, and ordered. */
export function platformKey({ os, arch }: Platform): string {
  return `${os} ${arch}`;
}

function compare(a: Candidate, b: Candidate, channel: string): number {
  const ranks = ({ build_type, offered, channel: own, created_at }: Candidate) => [
    Number(build_type === 'game'),
    Number(offered),
    Number(own === channel),
    created_at.getTime(),
  ];
  const [ofA, ofB] = [ranks(a), ranks(b)];
  const at = ofA.findIndex((rank, index) => rank !== ofB[index]);
  if (at !== -1) return ofB[at]! - ofA[at]!;
  return a.build_id < b.build_id ? 1 : -1;
}
