// Lists the files, folders (including empty ones) and symlinks of a folder in a fixed order.
import type { Stats } from 'node:fs';
import { lstat, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, parse, resolve, sep } from 'node:path';
import { formatNumber } from '@chauffeur/contract/format';
import type { Os } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import { findLinkLoop } from '@chauffeur/contract/link-loops';
import { LocalError } from '../failures.ts';
import { mapInOrder } from './in-order.ts';
import { findJunk, isUnsigned, type Junk } from './junk.ts';
import { byBytes, findNameProblem, findSameButForCase, findTargetProblem, matchesGlob } from './names.ts';

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
  /** Looks for files that players should not get, and leaves out what no game needs, or only finds all of it. */
  junk?: 'leave out' | 'find';
  /** Lists what symlinks lead to instead of them, even outside the folder. */
  dereference?: boolean | undefined;
};

export type Listing = {
  entries: Entry[];
  /** What is left out: by `ignore`, or as junk. */
  leftOut: { path: string; reason: 'ignored' | Junk['reason'] }[];
  /** Junk in `entries`. `isSigned` if it is in a signed bundle, which would be damaged without it. */
  junk: (Junk & { isSigned: boolean })[];
  /** The patterns of `ignore` that match nothing. */
  unusedGlobs: string[];
  /** Symlinks that led outside the folder and were followed. */
  outside: string[];
};

/** A folder on disk. `path` is empty or ends in `/`; `ancestors` are the real paths of it and the folders above it. */
type Folder = { path: string; source: string; ancestors: readonly string[] };

/**
 * Lists `folder`, sorted by the bytes of the paths. Rejects with LocalError if it has no files, or an entry that the
 * service rejects. A macOS or iOS bundle is listed with its own name as the folder of everything in it.
 */
export async function listEntries(folder: string, options: ListOptions = {}): Promise<Listing> {
  const { root, prefix } = await rootOf(folder);
  const listing: Listing = { entries: [], leftOut: [], junk: [], unusedGlobs: [], outside: [] };
  if (prefix !== '') listing.entries.push(named(prefix, { ...NO_FILE, source: root, mtimeMs: 0, kind: 'folder' }));
  const unused = new Set(options.ignore);
  const queue: Folder[] = [{ path: '', source: root, ancestors: [root] }];
  for (let parent = queue.pop(); parent !== undefined; parent = queue.pop()) {
    options.signal?.throwIfAborted();
    const included: string[] = [];
    for (const name of await readdir(parent.source)) {
      const path = parent.path + name;
      if (!isListed(path, options.only)) continue;
      const globs = (options.ignore ?? []).filter(
        (glob) => matchesGlob(path, glob) || matchesGlob(prefix + path, glob),
      );
      for (const glob of globs) unused.delete(glob);
      if (globs.length === 0) included.push(name);
      else listing.leftOut.push({ path: prefix + path, reason: 'ignored' });
    }
    const visit = (name: string) => visitChild({ root, prefix, parent: parent as Folder, name, options });
    for await (const found of mapInOrder(included, MAX_CONCURRENT_STATS, visit)) {
      if (found.isLeftOut && found.junk !== null) listing.leftOut.push(found.junk);
      if (found.isLeftOut) continue;
      listing.entries.push(found.entry);
      refuseTooMany(listing.entries.length);
      if (found.junk !== null) listing.junk.push({ ...found.junk, isSigned: found.isSigned });
      if (found.isOutside) listing.outside.push(found.entry.path);
      if (found.folder !== null) queue.push(found.folder);
    }
  }
  if (!listing.entries.some((entry) => entry.kind === 'file')) refuseEmpty(folder, listing.leftOut.length);
  listing.entries.sort(byBytes);
  listing.leftOut.sort((a, b) => (a.path < b.path ? -1 : 1));
  listing.unusedGlobs = [...unused];
  refuseConflicts(listing.entries, options.os);
  return listing;
}

type Child = { root: string; prefix: string; parent: Folder; name: string; options: ListOptions };
type Found = {
  entry: Entry;
  /** A folder whose content is listed as well; null unless the entry is a folder. */
  folder: Folder | null;
  junk: Junk | null;
  isLeftOut: boolean;
  isSigned: boolean;
  isOutside: boolean;
};

async function visitChild({ root, prefix, parent, name, options }: Child): Promise<Found> {
  const path = parent.path + name;
  const source = join(parent.source, name);
  if (isMisread(path)) await refuseMisread(parent, name);
  const link = await lstat(source);
  const isFollowed = options.dereference === true && link.isSymbolicLink();
  const stats = isFollowed ? await followLink(path, source) : link;
  const real = isFollowed ? await realpath(source) : source;
  const junk = options.junk === undefined ? null : await findJunk(prefix + path, source, stats.isDirectory());
  const isSigned = junk !== null && !isUnsigned(path) && (await isInSignedBundle(root, prefix, path));
  const found = { junk, isSigned, isOutside: isFollowed && !isInside(root, real) };
  if (junk?.isCertain === true && options.junk === 'leave out' && !isSigned)
    return {
      ...found,
      isLeftOut: true,
      entry: named(path, { ...NO_FILE, source, mtimeMs: 0, kind: 'file' }),
      folder: null,
    };
  const entry = await entryOf(prefix, path, source, stats, options.os);
  if (entry.kind !== 'folder') return { ...found, isLeftOut: false, entry, folder: null };
  if (parent.ancestors.includes(real)) refuse(path, 'it is a symlink that leads to a folder that contains it');
  const ancestors = options.dereference === true ? [...parent.ancestors, real] : [];
  return { ...found, isLeftOut: false, entry, folder: { path: `${path}/`, source: real, ancestors } };
}

async function followLink(path: string, source: string): Promise<Stats> {
  return stat(source).catch((cause: NodeJS.ErrnoException) =>
    refuse(path, cause.code === 'ELOOP' ? 'it is a symlink that leads back to itself' : 'it is a symlink to nowhere'),
  );
}

function isInside(root: string, real: string): boolean {
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Whether the innermost bundle that contains `path` has a signature, which covers all of its files. */
async function isInSignedBundle(root: string, prefix: string, path: string): Promise<boolean> {
  const steps = (prefix + path).split('/').slice(0, -1);
  const bundle = steps.findLastIndex((step) => /\.app$/i.test(step));
  if (bundle < 0) return false;
  const folder = join(prefix === '' ? root : dirname(root), ...steps.slice(0, bundle + 1));
  return (await stat(join(folder, 'Contents', '_CodeSignature')).catch(() => null)) !== null;
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

/** Throws LocalError for more entries than the service accepts. */
function refuseTooMany(entries: number): void {
  if (entries <= LIMITS.zipEntries) return;
  throw new LocalError(
    `The folder has more than ${formatNumber(LIMITS.zipEntries)} files and folders, which is the limit.`,
    'Combine small files, or leave some out with --ignore.',
  );
}

function refuseEmpty(folder: string, leftOut: number): never {
  const rest = leftOut === 0 ? '' : `, apart from what is left out`;
  throw new LocalError(`${folder} contains no files${rest}.`, "Use the folder with the game's files.");
}

/** Whether `path` is in `only`, in a folder of `only`, or a parent folder of an item in `only`. */
function isListed(path: string, only: readonly string[] | undefined): boolean {
  if (only === undefined) return true;
  return only.some((listed) => listed === path || path.startsWith(`${listed}/`) || listed.startsWith(`${path}/`));
}

/** The real path of the folder, and what precedes the paths in it: the name of a bundle and `/`, otherwise nothing. */
async function rootOf(folder: string): Promise<{ root: string; prefix: string }> {
  const stats = await stat(folder).catch((cause: unknown) => {
    const problem = (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'cannot be read';
    throw new LocalError(`${folder} ${problem}.`, "Use the folder with the game's files.", { cause });
  });
  if (!stats.isDirectory()) throw new LocalError(`${folder} is not a folder.`, remedyForFile(folder));
  const root = await realpath(folder);
  if (root === parse(root).root)
    throw new LocalError(`${folder} is the root of the file system.`, "Use the folder with the game's files.");
  const name = basename(resolve(folder));
  return { root, prefix: /.\.app$/i.test(name) && (await isBundle(root)) ? `${name}/` : '' };
}

/** A bundle for macOS has everything in `Contents`, one for iOS has its description at the top. */
async function isBundle(folder: string): Promise<boolean> {
  return (await readdir(folder)).some((name) => name === 'Contents' || name === 'Info.plist');
}

function remedyForFile(file: string): string {
  if (/\.(zip|7z|rar|tar|tgz|tar\.\w+)$/i.test(file)) return 'Unpack it, and use the folder with its files.';
  if (/\.html?$/i.test(file)) return `Use the folder that contains it: ${dirname(file)}`;
  if (/\.dmg$/i.test(file)) return 'Use the .app that it contains, or put it into a separate folder and use that.';
  return 'Put it into a separate folder, and use that folder. Players get a zip of what is in it.';
}

const NO_FILE = { size: 0, executable: false, target: '' };

async function entryOf(prefix: string, path: string, source: string, stats: Stats, os: Os | undefined): Promise<Entry> {
  const problem = findNameProblem(prefix + path, os);
  if (problem !== null) refuse(prefix + path, problem);
  const entry = { ...NO_FILE, source, mtimeMs: stats.mtimeMs };
  if (stats.isDirectory()) return named(`${prefix}${path}/`, { ...entry, kind: 'folder' });
  if (stats.isSymbolicLink()) {
    return named(prefix + path, { ...entry, kind: 'symlink', target: await targetOf(path, source) });
  }
  if (stats.isFile()) {
    const executable = executableBitOf(stats);
    return named(prefix + path, { ...entry, kind: 'file', size: stats.size, executable });
  }
  return refuse(prefix + path, 'it is neither a file, a folder nor a symlink');
}

function named(path: string, entry: Omit<Entry, 'path' | 'name'>): Entry {
  return { ...entry, path, name: Buffer.from(path) };
}

function executableBitOf(stats: Stats): boolean | undefined {
  return process.platform === 'win32' ? undefined : (stats.mode & 0o111) !== 0;
}

/** `path` is without the prefix: the link must stay in the folder. */
async function targetOf(path: string, source: string): Promise<string> {
  const target = (await readlink(source)).replaceAll(sep, '/');
  const problem = findTargetProblem(path, target);
  if (problem === null) return target;
  throw new LocalError(
    `${JSON.stringify(path)} cannot be zipped: ${problem}.`,
    'To include what it leads to, use --dereference. To leave it out, use --ignore.',
  );
}

/** Whether a path on disk is not UTF-8, in which case Node replaces the bytes that are wrong. */
function isMisread(path: string): boolean {
  return !path.isWellFormed() || path.includes('\uFFFD');
}

/** Names the file with its bytes, such as `gr\xf6n.txt`, because another encoding was probably meant. */
async function refuseMisread(parent: Folder, name: string): Promise<never> {
  const names = await readdir(parent.source, { encoding: 'buffer' });
  const bytes = names.find((candidate) => candidate.toString() === name) ?? Buffer.from(name);
  const text = bytes.toString('latin1').replace(/[^ -~]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
  throw new LocalError(
    `"${parent.path}${text}" cannot be zipped: its name is not UTF-8.`,
    'Rename it, or leave it out with --ignore.',
  );
}

function refuse(path: string, problem: string): never {
  throw new LocalError(
    `${JSON.stringify(path)} cannot be zipped: ${problem}.`,
    'Rename or remove it, or leave it out with --ignore.',
  );
}
