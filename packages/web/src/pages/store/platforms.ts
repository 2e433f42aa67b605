// How systems and processors are called on pages for players.

const SYSTEMS: Readonly<Record<string, string>> = {
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux',
  android: 'Android',
  ios: 'iOS',
  web: 'Browser',
};

const PROCESSORS: Readonly<Record<string, string>> = {
  x86_64: '64-bit',
  x86: '32-bit',
  arm64: 'ARM 64-bit',
  arm32: 'ARM 32-bit',
  arm: 'ARM',
  universal: 'all processors',
};

const APPLE_PROCESSORS: Readonly<Record<string, string>> = { x86_64: 'Intel', arm64: 'Apple silicon' };

export function saySystem(os: string): string {
  return SYSTEMS[os] ?? os;
}

/** `Windows 64-bit`, `macOS Apple silicon`; of a build for browsers, which knows no processor, `Browser`. */
export function sayPlatform({ os, arch }: { os: string; arch: string }): string {
  if (os === 'web') return saySystem(os);
  const processor = (os === 'macos' ? APPLE_PROCESSORS[arch] : undefined) ?? PROCESSORS[arch] ?? arch;
  return `${saySystem(os)} ${processor}`;
}

/** The systems of these platforms, each once, in the order that people look for them. */
export function listSystems(platforms: readonly { os: string }[]): string[] {
  const oses = new Set(platforms.map(({ os }) => os));
  return Object.keys(SYSTEMS)
    .filter((os) => oses.has(os))
    .map(saySystem);
}
