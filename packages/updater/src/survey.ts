// Finds out what is in the folder of an install: what is as it was installed, and what the player changed.
import type { Stats } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileEntry, Manifest } from '@chauffeur/deltas/manifest';
import { hashFile } from './content.ts';
import { inParallel } from './in-parallel.ts';
import { statOf } from './inside.ts';
import type { Options } from './options.ts';
import type { FileTimes } from './state.ts';
import { type InstallFolders, STATE_FOLDER } from './switch-over.ts';

type Status =
  /** It is as it was installed. */
  | 'same'
  /** There is something else, of the player. */
  | 'changed'
  | 'missing';

/** An entry of a manifest as it is on disk. `stats` is null if it is missing, or not below folders. */
export type Found = { readonly status: Status; readonly stats: Stats | null };

const PARALLEL = 16;

/** Finds things in the folder without following links, and remembers which folders there are. */
export class Places {
  readonly #game: string;
  readonly #folders = new Map<string, Promise<boolean>>();

  constructor(game: string) {
    this.#game = game;
  }

  /** Null if there is nothing, or if a parent is not a folder. */
  async stat(path: string): Promise<Stats | null> {
    const parent = dirname(path);
    if (parent !== '.' && !(await this.#isFolder(parent))) return null;
    return statOf(join(this.#game, path));
  }

  #isFolder(path: string): Promise<boolean> {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const found = this.stat(path).then((stats) => stats?.isDirectory() === true);
    this.#folders.set(path, found);
    return found;
  }
}

type SurveyOptions = {
  /** Whether all files are read, instead of only if their size or time of change differs. */
  readonly thorough: boolean;
  readonly signal: AbortSignal | undefined;
  /** Called with the bytes of files that were looked at. */
  readonly onBytes?: (bytes: number) => void;
};

/** Compares all entries of a manifest with the folder. The result has the same indices. */
async function survey(
  folders: InstallFolders,
  { entries }: Manifest,
  times: FileTimes,
  options: SurveyOptions,
): Promise<Found[]> {
  const places = new Places(folders.game);
  const found: Found[] = new Array(entries.length);
  const look = async (index: number): Promise<void> => {
    const entry = entries[index]!;
    const stats = await places.stat(entry.path);
    const status = await statusOf(folders, entry, stats, times, options);
    if (entry.type === 'file') options.onBytes?.(entry.size);
    found[index] = { status, stats };
  };
  await inParallel(entries.keys(), PARALLEL, look, options.signal);
  return found;
}

/** Compares all entries, and reports the phase `checking`. */
export async function surveyAll(
  folders: InstallFolders,
  manifest: Manifest,
  times: FileTimes,
  { thorough, signal, onProgress }: Options & { readonly thorough: boolean },
) {
  const total = manifest.entries.reduce((sum, entry) => sum + (entry.type === 'file' ? entry.size : 0), 0);
  let done = 0;
  const onBytes = (bytes: number) => {
    done += bytes;
    onProgress?.({ phase: 'checking', done, total });
  };
  return survey(folders, manifest, times, { thorough, signal, onBytes });
}

async function statusOf(
  folders: InstallFolders,
  entry: Manifest['entries'][number],
  stats: Stats | null,
  times: FileTimes,
  { thorough, signal }: SurveyOptions,
): Promise<Status> {
  if (stats === null) return 'missing';
  const place = join(folders.game, entry.path);
  if (entry.type === 'folder') return stats.isDirectory() ? 'same' : 'changed';
  if (entry.type === 'link') return (await isLinkTo(place, stats, entry.target)) ? 'same' : 'changed';
  if (!stats.isFile()) return 'changed';
  if (!thorough && hasTime(times, entry.path, stats)) return 'same';
  return (await hasContent(place, stats, entry, signal)) ? 'same' : 'changed';
}

export async function isLinkTo(place: string, stats: Stats, target: string): Promise<boolean> {
  return stats.isSymbolicLink() && (await readlink(place).catch(() => null)) === target;
}

/** Whether the file is as it was installed, as far as its size and time show. */
function hasTime(times: FileTimes, path: string, stats: Stats): boolean {
  const recorded = Object.hasOwn(times, path) ? times[path] : undefined;
  return Array.isArray(recorded) && recorded[0] === stats.size && recorded[1] === stats.mtimeMs;
}

export async function hasContent(
  place: string,
  stats: Stats,
  { size, sha256 }: Pick<FileEntry, 'size' | 'sha256'>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (!stats.isFile() || stats.size !== size) return false;
  return (await hashFile(place, signal))?.equals(sha256) === true;
}

/** Files and links in the folder that the manifest doesn't have, as paths with `/`, in order. */
export async function findAdded(folders: InstallFolders, { entries }: Manifest): Promise<string[]> {
  const known = new Set(entries.map(({ path }) => path));
  const added: string[] = [];
  const look = async (path: string): Promise<void> => {
    const listed = await readdir(join(folders.game, path), { withFileTypes: true });
    for (const entry of listed) {
      const own = path === '' ? entry.name : `${path}/${entry.name}`;
      if (own === STATE_FOLDER) continue;
      if (entry.isDirectory()) await look(own);
      else if (!known.has(own)) added.push(own);
    }
  };
  await look('');
  return added.sort();
}

/** Whether names that differ only in case are the same file in this folder, whose state folder exists. */
export async function ignoresCaseIn({ game }: InstallFolders): Promise<boolean> {
  return (await statOf(join(game, STATE_FOLDER.toUpperCase()))) !== null;
}
