// The identity of a build (version, type, platform and channel): the accepted names, their aliases and their schemas.
import Type from 'typebox';
import { defineForm } from './forms.ts';
import { LIMITS } from './limits.ts';
import { ownValue } from './own-value.ts';
import { ARCHES, type Arch, OSES, type Os } from './platform-names.ts';
import { LINE_HIDDEN } from './text.ts';

// biome-ignore lint/performance/noBarrelFile: the names and their schemas are used together.
export { ARCHES, type Arch, OSES, type Os } from './platform-names.ts';

const OS_ALIASES = {
  win: 'windows',
  win32: 'windows',
  win64: 'windows',
  darwin: 'macos',
  osx: 'macos',
  mac: 'macos',
} as const;
const ARCH_ALIASES = { amd64: 'x86_64', x64: 'x86_64', aarch64: 'arm64' } as const;

type OsAlias = keyof typeof OS_ALIASES;
type ArchAlias = keyof typeof ARCH_ALIASES;

export const OsName = Type.Enum([...OSES], { description: 'Operating system' });
export const ArchName = Type.Enum([...ARCHES], { description: 'Processor architecture' });

/** The names that clients can send: the canonical names and their aliases. */
export const OsInput = Type.Enum([...OSES, ...(Object.keys(OS_ALIASES) as OsAlias[])], {
  description: 'Operating system; win, win32, win64, darwin, osx and mac are accepted as aliases',
});
export const ArchInput = Type.Enum([...ARCHES, ...(Object.keys(ARCH_ALIASES) as ArchAlias[])], {
  description: 'Processor architecture; amd64, x64 and aarch64 are accepted as aliases',
});

const CHANNEL = defineForm({
  pattern: `^[a-z0-9][a-z0-9_-]{0,${LIMITS.channelLength - 1}}$`,
  description: 'lowercase letters, digits, - and _, up to 32, starting with a letter or digit',
});
export const ChannelName = Type.String({ ...CHANNEL, description: `Channel: ${CHANNEL.description}` });
/** The server removes spaces and line breaks around a version, because the output of commands ends with a line break. */
export const VersionName = Type.String({
  minLength: 1,
  maxLength: LIMITS.versionLength,
  pattern: String.raw`^\s*[^\s${LINE_HIDDEN}]([^${LINE_HIDDEN}]*[^\s${LINE_HIDDEN}])?\s*$`,
  description: 'Version: one line of up to 32 characters; spaces around it are removed',
});
export const BuildType = Type.String({
  pattern: `^[a-z0-9][a-z0-9_-]{0,${LIMITS.buildTypeLength - 1}}$`,
  description: 'Build type: a lowercase slug up to 32 characters; game for game builds',
});
export const EngineVersion = Type.String({
  pattern: '^[0-9]{1,4}\\.[0-9]{1,4}(\\.[0-9]{1,4})?(-[a-z0-9.]{1,32})?$',
  description: 'Engine version such as 4.3, 4.3.1 or 4.3.0-beta.2',
});

export const CommitName = Type.String({
  pattern: '^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$',
  description: 'Commit: the hash of a Git commit, or another revision such as a Perforce changelist',
});

/** A checksum as clients send it: 64 hex digits in either case, optionally after `sha256:`. */
export const ChecksumInput = Type.String({
  pattern: '^([sS][hH][aA]256:)?[0-9a-fA-F]{64}$',
  description: 'SHA-256 of the zip as 64 hex digits; a sha256: prefix is accepted',
});

/** What a build runs on. */
export type Platform = { os: Os; arch: Arch };
export type BuildIdentity = Platform & { version: string; build_type: string; channel: string };

/** The canonical name of an os that matches `OsInput`. */
export function canonicalOs(os: string): Os {
  return ownValue<Os>(OS_ALIASES, os) ?? (os as Os);
}

/** The canonical name of an arch that matches `ArchInput`. */
export function canonicalArch(arch: string): Arch {
  return ownValue<Arch>(ARCH_ALIASES, arch) ?? (arch as Arch);
}

/** The 64 hex digits, in lowercase, of a checksum that matches `ChecksumInput`. */
export function canonicalChecksum(checksum: string): string {
  return checksum.slice(-64).toLowerCase();
}
