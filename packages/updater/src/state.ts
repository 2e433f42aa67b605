// What the updater knows of an install, in its folder `.chauffeur`.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Arch, Os } from '@chauffeur/contract/platform-names';
import type { Manifest } from '@chauffeur/deltas/manifest';
import { makeFolder, replaceFile } from './durable.ts';
import { UpdaterError } from './error.ts';
import type { InstallFolders } from './switch-over.ts';
import { type PublicKey, readManifest } from './trust.ts';

/** The build that is in the folder. */
export type InstalledBuild = {
  readonly buildId: string;
  readonly version: string;
  readonly fileUid: string;
  /** Bytes and SHA-256 of its zip. */
  readonly size: number;
  readonly checksum: string;
};

export type Install = {
  readonly format: 1;
  readonly server: string;
  readonly game: { readonly uid: string; readonly slug: string; readonly name: string };
  readonly channel: string;
  readonly os: Os;
  readonly arch: Arch;
  /** Distinguishes this install from others, so that a rollout offers it the same build each time. */
  readonly deviceUid: string;
  /** The key that signed the newest manifest. Null as long as the server has none. */
  readonly key: PublicKey | null;
  /** Whether a signed manifest was ever installed. After that, one without a signature is refused. */
  readonly isSigned: boolean;
  /** The largest serial that was seen of each channel. Missing as long as the server states none. */
  readonly serials?: Readonly<Record<string, number>>;
  /** Null until the first version is complete. */
  readonly build: InstalledBuild | null;
  /** The program that the player chose, as a path of the manifest. */
  readonly program: string | null;
};

/** Size and time of change of each file as it was installed, by its path. Files of the player aren't listed. */
export type FileTimes = Readonly<Record<string, readonly [size: number, mtimeMs: number]>>;

const INSTALL = 'install.json';
const FILES = 'files.json';
const MANIFEST = 'manifest';
const NEXT = '.next';

/** What replaces the state when a new version is in place. */
export const NEXT_STATE = [INSTALL, FILES, MANIFEST].map((name) => ({ from: `${name}${NEXT}`, to: name }));

export function newDeviceUid(): string {
  return randomUUID();
}

/** Null if nothing was installed here. Rejects with UpdaterError if the file is damaged. */
export async function readInstall(folders: InstallFolders): Promise<Install | null> {
  const text = await readIfThere(join(folders.state, INSTALL));
  if (text === null) return null;
  const install = parse(text.toString()) as Install | null;
  const isValid =
    install?.format === 1 &&
    typeof install.server === 'string' &&
    typeof install.game?.uid === 'string' &&
    typeof install.channel === 'string' &&
    typeof install.deviceUid === 'string';
  if (isValid) return install;
  throw new UpdaterError(
    'folder',
    `${join(folders.state, INSTALL)} is damaged, or a newer program wrote it.`,
    'Install the game into another folder.',
  );
}

/** The manifest of what is installed; null if it is missing or damaged. */
export async function readInstalledManifest(folders: InstallFolders): Promise<Manifest | null> {
  const packed = await readIfThere(join(folders.state, MANIFEST));
  if (packed === null) return null;
  try {
    return readManifest(packed);
  } catch (error) {
    if (error instanceof UpdaterError) return null;
    throw error;
  }
}

/** Empty if the list is missing or damaged; files are then compared by their content. */
export async function readFileTimes(folders: InstallFolders): Promise<FileTimes> {
  const text = await readIfThere(join(folders.state, FILES));
  const value = text === null ? null : parse(text.toString());
  return typeof value === 'object' && value !== null ? { ...(value as FileTimes) } : {};
}

export async function writeInstall(folders: InstallFolders, install: Install): Promise<void> {
  await makeFolder(folders.state);
  await replaceFile(join(folders.state, INSTALL), serialise(install));
}

/** Writes what `NEXT_STATE` moves into place. */
export async function writeNextState(
  folders: InstallFolders,
  next: { install: Install; times: FileTimes; manifest: Uint8Array },
): Promise<void> {
  const at = (name: string) => join(folders.state, `${name}${NEXT}`);
  await replaceFile(at(INSTALL), serialise(next.install));
  await replaceFile(at(FILES), JSON.stringify(next.times));
  await replaceFile(at(MANIFEST), next.manifest);
}

function serialise(install: Install): string {
  return `${JSON.stringify(install, null, 2)}\n`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}
