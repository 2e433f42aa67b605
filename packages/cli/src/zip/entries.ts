// Lists the files, folders (including empty ones) and symlinks of a folder in a fixed order.
import type { Stats } from 'node:fs';
import { lstat, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Os } from '@chauffeur/contract/identity';
import { findLinkLoop } from '@chauffeur/contract/link-loops';
import { LocalError } from '../failures.ts';
import { mapInOrder } from './in-order.ts';
import { byBytes, findNameProblem, findSameButForCase, findTargetProblem, isIgnored } from './names.ts';

export type Entry = {
  /** Path in the archive, separated by `/`; folders end in `/`. */
  path: string;
  /** `path` in UTF-8. */
  name: Buffer;
  kind: 'file' | 'folder' | 'symlink';
  /** Path on disk. */
  source: string;
  /** Bytes of a file; 0 for the others. */
  size: number;
  /** When a file was last modified, in milliseconds. A change while zipping is an error. */
  mtimeMs: number;
  /** The executable bit; undefined on Windows, which has none. */
  executable: boolean | undefined;
  /** The target of a symlink, separated by `/`. */
  target: string;
};

const MAX_CONCURRENT_STATS = 64;

/** `os` is the OS of the build; names must be valid there. */
export type ListOptions = {
  ignore?: readonly string[];
  signal?: AbortSignal;
  os?: Os;
  /** Lists only these files and folders: paths in the folder, separated by `/`. */
  only?: readonly string[] | undefined;
};

/** Lists `folder`, sorted by the bytes of the paths. Rejects with LocalError if it has no files, or an entry that the service rejects. */
export async function listEntries(folder: string, options: ListOptions = {}): Promise<Entry[]> {
  const root = await rootOf(folder);
  const entries: Entry[] = [];
  const queue = [''];
  for (let parent = queue.pop(); parent !== undefined; parent = queue.pop()) {
    options.signal?.throwIfAborted();
    const names = (await readdir(join(root, parent))).map((name) => parent + name);
    const included = names.filter((path) => !isIgnored(path, options.ignore ?? []) && isListed(path, options.only));
    for await (const entry of mapInOrder(included, MAX_CONCURRENT_STATS, (path) => entryOf(root, path, options.os))) {
      entries.push(entry);
      if (entry.kind === 'folder') queue.push(entry.path);
    }
  }
  if (!entries.some((entry) => entry.kind === 'file')) {
    throw new LocalError(`${folder}: contains no files.`, "Use the folder with the game's files.");
  }
  entries.sort(byBytes);
  refuseConflicts(entries, options.os);
  return entries;
}

/** Throws LocalError for entries that conflict with each other, by the rules of the service. */
function refuseConflicts(entries: readonly Entry[], os: Os | undefined): void {
  const same = findSameButForCase(
    entries.map(({ path }) => path),
    os,
  );
  if (same !== null) refuse(same[1], `it is the same file as ${JSON.stringify(same[0])} on ${os}`);
  const loop = findLinkLoop(
    entries.filter(({ kind }) => kind === 'symlink'),
    os,
  );
  if (loop !== null) refuse(loop.path, `it is a symlink that ${loop.problem}`);
}

/** Whether `path` is in `only`, in a folder of `only`, or a parent folder of an item in `only`. */
function isListed(path: string, only: readonly string[] | undefined): boolean {
  if (only === undefined) return true;
  return only.some((listed) => listed === path || path.startsWith(`${listed}/`) || listed.startsWith(`${path}/`));
}

async function rootOf(folder: string): Promise<string> {
  const stats = await stat(folder).catch((cause: unknown) => {
    throw new LocalError(`${folder}: cannot be read.`, "Use the folder with the game's files.", { cause });
  });
  if (!stats.isDirectory()) {
    throw new LocalError(`${folder}: is not a folder.`, "Use the folder with the game's files.");
  }
  return realpath(folder);
}

async function entryOf(root: string, path: string, os: Os | undefined): Promise<Entry> {
  const problem = findNameProblem(path, os);
  if (problem !== null) refuse(path, problem);
  const source = join(root, path);
  const stats = await lstat(source);
  const entry = { source, size: 0, mtimeMs: stats.mtimeMs, executable: false, target: '' };
  if (stats.isDirectory()) return named(`${path}/`, { ...entry, kind: 'folder' });
  if (stats.isSymbolicLink()) {
    return named(path, { ...entry, kind: 'symlink', target: await targetOf(path, source) });
  }
  if (stats.isFile()) {
    return named(path, { ...entry, kind: 'file', size: stats.size, executable: executableBitOf(stats) });
  }
  return refuse(path, 'it is neither a file, a folder nor a symlink');
}

function named(path: string, entry: Omit<Entry, 'path' | 'name'>): Entry {
  return { ...entry, path, name: Buffer.from(path) };
}

function executableBitOf(stats: Stats): boolean | undefined {
  return process.platform === 'win32' ? undefined : (stats.mode & 0o111) !== 0;
}

async function targetOf(path: string, source: string): Promise<string> {
  const target = (await readlink(source)).replaceAll(sep, '/');
  const problem = findTargetProblem(path, target);
  return problem === null ? target : refuse(path, problem);
}

function refuse(path: string, problem: string): never {
  throw new LocalError(
    `${JSON.stringify(path)} cannot be zipped: ${problem}.`,
    'Rename or remove it, or leave it out with --ignore.',
  );
}
