// Which builds run on this computer.
import type { Arch, Os } from '@chauffeur/contract/platform-names';

export type Platform = { readonly os: Os; readonly arch: Arch };

const OSES: Readonly<Partial<Record<NodeJS.Platform, Os>>> = {
  win32: 'windows',
  darwin: 'macos',
  linux: 'linux',
  android: 'android',
};
const ARCHES: Readonly<Partial<Record<NodeJS.Architecture, readonly Arch[]>>> = {
  x64: ['x86_64', 'universal', 'x86'],
  // Windows and macOS run programs for x86_64 on such processors.
  arm64: ['arm64', 'universal', 'x86_64'],
  ia32: ['x86'],
  arm: ['arm32', 'arm'],
};

/** The platforms whose builds run here, best first. `wanted` replaces what this computer is. */
export function platformsOf(
  wanted: Partial<Platform> = {},
  host: { platform: NodeJS.Platform; arch: NodeJS.Architecture } = process,
): Platform[] {
  const os = wanted.os ?? OSES[host.platform];
  if (os === undefined) return [];
  const arches = wanted.arch === undefined ? (ARCHES[host.arch] ?? []) : [wanted.arch];
  const emulates = os !== 'linux' || host.arch !== 'arm64' || wanted.arch !== undefined;
  return arches.filter((arch) => emulates || arch !== 'x86_64').map((arch) => ({ os, arch }));
}

/** The OS of this computer; undefined if no builds are made for it. */
export function hostOs(): Os | undefined {
  return OSES[process.platform];
}
