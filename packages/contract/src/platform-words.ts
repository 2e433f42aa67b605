// How platforms are said to people.
import type { Os } from './identity.ts';

const OS_NAMES: Readonly<Record<Os, string>> = {
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux',
  android: 'Android',
  ios: 'iOS',
  web: 'Browser',
};

export type PlatformWords = { readonly os: string; readonly arch: string };

export function sayOs(os: string): string {
  return (OS_NAMES as Readonly<Record<string, string>>)[os] ?? os;
}

/** `Windows x86_64`. */
export function sayPlatform({ os, arch }: PlatformWords): string {
  return `${sayOs(os)} ${arch}`;
}
