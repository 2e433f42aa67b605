// Decides from its central directory whether a zip is accepted: an ordered list of named rules.
import { findWindowsProblem, foldPath, ignoresCase, isOfUpdater, UPDATER_FOLDER } from '@chauffeur/contract/file-names';
import type { Os } from '@chauffeur/contract/identity';
import { GIB, LIMITS, MIB } from '@chauffeur/contract/limits';
import { findLinkLoop, type Link } from '@chauffeur/contract/link-loops';
import { hasHiddenCharacter } from '@chauffeur/contract/text';
import { FLAGS, MODES, normalPathOf, type ZipDirectory, type ZipEntry } from '../../kernel/zip/zip-entry.ts';

type Rule = {
  readonly name: string;
  /**
   * Why the zip is refused, with the entry and the remedy; null if it passes the rule. `os` is the OS of the build, if
   * known.
   */
  readonly judge: (directory: ZipDirectory, os?: Os) => string | null;
};

/** The maximum bytes of a path: no OS supports a longer one (PATH_MAX). */
const MAX_PATH_BYTES = 4096;
const LOCAL_HEADER_BYTES = 30;
/** The limit for all link targets together, which are held in memory. Games have a few hundred links at most. */
const MAX_TARGET_BYTES = 16 * MIB;

/**
 * The first rule that refuses the zip gives the reason. Rules that make names safe to use come before the rules that
 * use them.
 */
export const ZIP_RULES: readonly Rule[] = [
  {
    name: 'too-many-entries',
    judge: ({ entryCount }) =>
      entryCount > LIMITS.zipEntries
        ? `The .zip has ${formatCount(entryCount)} entries, but the maximum is ${formatCount(LIMITS.zipEntries)}. Pack small files into archives of your engine.`
        : null,
  },
  {
    name: 'no-file',
    judge: ({ entries }) =>
      entries.some((entry) => entry.type === 'file') ? null : 'The .zip contains no files. Add the files of the build.',
  },
  {
    name: 'unreadable-name',
    judge: ofNames(
      (name) => name === '' || /[\0\uFFFD]/.test(name),
      (entry) => `The name of the .zip entry ${entry} cannot be read. Use UTF-8 names.`,
    ),
  },
  {
    name: 'nameless-file',
    // Some tools add the zipped folder itself as `./`.
    judge: ofEntries(
      ({ path, type }) => path === '' && type !== 'folder',
      () => 'The .zip has a file without a name. Create the .zip again with another tool.',
    ),
  },
  {
    name: 'long-name',
    judge: ofNames(
      (name) => Buffer.byteLength(name) > MAX_PATH_BYTES,
      (entry) => `The path of the .zip entry ${entry} is too long. Use fewer folders or shorter names.`,
    ),
  },
  {
    name: 'absolute-path',
    judge: ofNames(
      (name) => /^([/\\]|[a-z]:)/i.test(name),
      (entry) => `The .zip entry ${entry} is an absolute path. Use relative paths.`,
    ),
  },
  {
    name: 'backslash',
    // Windows reads it as a folder separator, other systems as a part of the name.
    judge: ofNames(
      (name) => name.includes('\\'),
      (entry) => `The .zip entry ${entry} has a backslash. Separate folders with /.`,
    ),
  },
  {
    name: 'parent-folder',
    judge: ofNames(
      (name) => name.split('/').includes('..'),
      (entry) => `The .zip entry ${entry} leads out of the archive. Remove .. from its path.`,
    ),
  },
  {
    name: 'control-character',
    judge: ofNames(
      hasHiddenCharacter,
      (entry) => `The name of the .zip entry ${entry} has a line break or another control character. Rename it.`,
    ),
  },
  {
    name: 'updater-folder',
    // The updater refuses such a version, so no player could install it or update to it.
    judge: ofNames(
      isOfUpdater,
      (entry) =>
        `The .zip entry ${entry} is where the updater of players keeps its own files. Leave out the folder ${UPDATER_FOLDER}.`,
    ),
  },
  { name: 'windows-name', judge: judgeWindowsNames },
  { name: 'duplicate-name', judge: judgeDuplicates },
  { name: 'same-but-for-case', judge: judgeCase },
  {
    name: 'special-file',
    judge: ofEntries(
      ({ mode }) => ![0, MODES.file, MODES.folder, MODES.symlink].includes(mode & MODES.type),
      (entry) => `The .zip entry ${entry} is a device, pipe or socket. Remove it.`,
    ),
  },
  {
    name: 'setuid',
    // On a folder, setgid only sets the group of new files.
    judge: ofEntries(
      ({ mode, type }) => (mode & (type === 'folder' ? MODES.setuid : MODES.setuid | MODES.setgid)) !== 0,
      (entry) =>
        `The .zip entry ${entry} would run with the rights of another user (setuid or setgid). Run chmod ug-s on it.`,
    ),
  },
  {
    name: 'two-types',
    judge: ofEntries(
      ({ path, type, mode, isDosFolder }) =>
        type === 'symlink'
          ? path.endsWith('/')
          : type === 'file' && ((mode & MODES.type) === MODES.folder || ((mode & MODES.type) === 0 && isDosFolder)),
      (entry) =>
        `The .zip entry ${entry} is marked as a folder and as a file. Create the .zip again with another tool.`,
    ),
  },
  {
    name: 'encrypted',
    judge: ofEntries(
      ({ flags }) => (flags & (FLAGS.encrypted | FLAGS.maskedHeaders)) !== 0,
      (entry) => `The .zip entry ${entry} is encrypted and cannot be scanned. Zip it without a password.`,
    ),
  },
  {
    name: 'unknown-compression',
    judge: ofEntries(
      ({ method }) => method !== 0 && method !== 8,
      (entry) =>
        `The .zip entry ${entry} uses a compression method that some unpackers do not support. Use deflate or store.`,
    ),
  },
  {
    name: 'contradictory-size',
    judge: ofEntries(
      ({ method, size, packedSize }) => method === 0 && size !== packedSize,
      (entry) => `The .zip entry ${entry} is uncompressed but has two different sizes. Create the .zip again.`,
    ),
  },
  {
    name: 'folder-with-content',
    judge: ofEntries(
      ({ type, size }) => type === 'folder' && size > 0,
      (entry) => `The .zip entry ${entry} is a folder with content. Create the .zip again.`,
    ),
  },
  {
    name: 'link-without-target',
    judge: ofEntries(
      ({ type, size }) => type === 'symlink' && (size === 0 || size > MAX_PATH_BYTES),
      (entry) => `The .zip entry ${entry} is a symbolic link without a valid target. Create the .zip again.`,
    ),
  },
  {
    name: 'long-targets',
    judge: ({ entries }) =>
      unpackedBytes(entries.filter(isLink)) > MAX_TARGET_BYTES
        ? `The targets of the .zip's symbolic links exceed ${MAX_TARGET_BYTES / MIB} MB. Use fewer links.`
        : null,
  },
  { name: 'below-link', judge: ({ entries }) => judgeBelowLinks(namesOf(entries), namesOf(entries.filter(isLink))) },
  {
    name: 'file-and-folder',
    judge: ({ entries }, os) =>
      judgeBelowFiles(namesOf(entries), namesOf(entries.filter(({ type }) => type === 'file')), os),
  },
  { name: 'overlap', judge: judgeOverlaps },
  {
    name: 'leading-bytes',
    // The same file could be run as another program, such as an installer.
    judge: ({ entries }) =>
      entries.every(({ offset }) => offset > 0)
        ? 'The .zip has bytes before its first entry, like a self-extracting archive. Upload a plain .zip.'
        : null,
  },
  {
    name: 'unpacked-size',
    judge: ({ entries }) =>
      unpackedBytes(entries) > LIMITS.zipUnpackedBytes
        ? `The .zip unpacks to over ${LIMITS.zipUnpackedBytes / GIB} GB. Split the build.`
        : null,
  },
  {
    name: 'ratio',
    judge: ({ entries, fileSize }) =>
      unpackedBytes(entries) > LIMITS.zipRatio * fileSize
        ? `The .zip unpacks to over ${LIMITS.zipRatio} times its size. Remove files that consist mostly of zeros.`
        : null,
  },
];

/** The name of the rule that refuses a zip, and why, as a message for its uploader. */
export type ZipRefusal = { readonly rule: string; readonly reason: string };

/** The rule of a zip whose directory cannot be read. */
export const UNREADABLE_ZIP = 'unreadable-zip';

/** Why a zip with this directory is refused for a build of `os`; null if it is accepted. */
export function judgeDirectory(directory: ZipDirectory, os?: Os): ZipRefusal | null {
  for (const { name, judge } of ZIP_RULES) {
    const reason = judge(directory, os);
    if (reason !== null) return { rule: name, reason };
  }
  return null;
}

/** The unpacked bytes of all entries according to the directory. */
export function unpackedBytes(entries: readonly ZipEntry[]): number {
  return entries.reduce((sum, entry) => sum + entry.size, 0);
}

function ofEntries(isBad: (entry: ZipEntry) => boolean, describe: (name: string) => string): Rule['judge'] {
  return ({ entries }) => {
    const bad = entries.find(isBad);
    return bad === undefined ? null : describe(formatEntryName(bad.path));
  };
}

function ofNames(isBad: (name: string) => boolean, describe: (name: string) => string): Rule['judge'] {
  return ({ entries }) => {
    for (const { names } of entries) {
      const bad = names.find(isBad);
      if (bad !== undefined) return describe(formatEntryName(bad));
    }
    return null;
  };
}

function judgeWindowsNames({ entries }: ZipDirectory, os?: Os): string | null {
  if (os !== 'windows') return null;
  for (const name of namesOf(entries)) {
    const problem = findWindowsProblem(name);
    if (problem !== null)
      return `Windows cannot create the .zip entry ${formatEntryName(name)}: ${problem}. Rename it.`;
  }
  return null;
}

/** Two entries with the same path. */
function judgeDuplicates({ entries }: ZipDirectory): string | null {
  const [name] = findSamePath(entries, normalPathOf) ?? [];
  return name === undefined ? null : `The .zip has two entries named ${formatEntryName(name)}. Remove one of them.`;
}

/**
 * On Windows and macOS, `A` and `a` are the same file, and the entry unpacked last would win. Folders are merged
 * without loss.
 */
function judgeCase({ entries }: ZipDirectory, os?: Os): string | null {
  if (!ignoresCase(os)) return null;
  const same = findSamePath(entries, (name) => foldPath(normalPathOf(name), os), bothAreFolders);
  if (same === null) return null;
  const systemName = os === 'windows' ? 'Windows' : 'macOS';
  return `The .zip entries ${formatEntryName(same[0])} and ${formatEntryName(same[1])} are the same file on ${systemName}. Rename one of them.`;
}

/** The names of the first two entries with the same path, the later one first; null if all paths differ. */
function findSamePath(
  entries: readonly ZipEntry[],
  normalize: (name: string) => string,
  mayShare: (first: ZipEntry, second: ZipEntry) => boolean = () => false,
): [string, string] | null {
  const seen = new Map<string, [ZipEntry, string]>();
  for (const entry of entries) {
    for (const name of entry.names) {
      const path = normalize(name);
      const [other, otherName = ''] = seen.get(path) ?? [];
      if (other !== undefined && other !== entry && !mayShare(other, entry)) return [name, otherName];
      seen.set(path, [entry, name]);
    }
  }
  return null;
}

function bothAreFolders(first: ZipEntry, second: ZipEntry): boolean {
  return first.type === 'folder' && second.type === 'folder';
}

/**
 * Requires that each entry has its own bytes before the directory. In a zip bomb of overlapping files (D. Fifield, “A
 * better zip bomb”, 2019) many entries share one kernel of data. A local header may be longer than assumed here; the
 * scan detects that.
 */
function judgeOverlaps({ entries, start }: ZipDirectory): string | null {
  const inFileOrder = entries.toSorted((a, b) => a.offset - b.offset);
  for (const [index, entry] of inFileOrder.entries()) {
    const end = entry.offset + LOCAL_HEADER_BYTES + entry.rawName.length + entry.packedSize;
    const next = inFileOrder[index + 1];
    if (end <= (next?.offset ?? start)) continue;
    const name = formatEntryName(entry.path);
    return next === undefined
      ? `The .zip entry ${name} overlaps the directory. Create the .zip again with another tool.`
      : `The .zip entry ${name} overlaps ${formatEntryName(next.path)}. Create the .zip again with another tool.`;
  }
  return null;
}

function namesOf(entries: readonly ZipEntry[]): string[] {
  return entries.flatMap(({ names }) => names);
}

function isLink({ type }: ZipEntry): boolean {
  return type === 'symlink';
}

function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}

/**
 * Why the link at `path` is refused; null if it leads to a path inside the archive. The target may contain `..` only
 * at its start and must not go above the root of the archive: `../../lib/a.so` in `bin/x/link` is fine. After a folder
 * name, `..` is refused, because that name may be a link itself: with `d/up → ..`, the target `d/up/..` is outside the
 * archive.
 */
export function judgeLink(path: string, target: string): string | null {
  const link = `The .zip's symbolic link ${formatEntryName(path)}`;
  const to = formatEntryName(target);
  const remedy = 'Use a relative path to a file in the archive.';
  if (target === '' || /[\0\uFFFD]/.test(target)) return `${link} has no readable target. ${remedy}`;
  if (hasHiddenCharacter(target)) return `${link} has a control character in its target ${to}. ${remedy}`;
  if (/^([/\\]|[a-z]:)/i.test(target)) return `${link} leads to the absolute path ${to}. ${remedy}`;
  if (target.includes('\\')) return `${link} has a backslash in its target ${to}. ${remedy}`;
  const steps = segmentsOf(target);
  const descent = steps.findIndex((step) => step !== '..');
  const climbs = descent < 0 ? steps.length : descent;
  if (climbs >= segmentsOf(path).length) return `${link} leads out of the archive to ${to}. ${remedy}`;
  if (steps.lastIndexOf('..') > climbs) return `${link} has .. after a folder in its target ${to}. ${remedy}`;
  return null;
}

/**
 * Why links that `judgeLink` accepted one by one are refused together: one of them is circular. Null if all are fine.
 */
export function judgeLinkLoops(links: readonly Link[], os?: Os): string | null {
  const bad = findLinkLoop(links, os);
  return bad === null
    ? null
    : `The .zip's symbolic link ${formatEntryName(bad.path)} ${bad.problem}. Remove it or change its target.`;
}

/** Why `paths` are refused if one of `files` is also used as a folder, which no OS supports. Null if none is. */
function judgeBelowFiles(paths: readonly string[], files: readonly string[], os?: Os): string | null {
  const below = findBelow(paths, files, (path) => foldPath(path, os));
  return below === null
    ? null
    : `The .zip entry ${formatEntryName(below)} is a file and a folder with entries. Rename one of them.`;
}

/**
 * Why `paths` are refused if one of them is below one of the symbolic `links`: it would be written wherever the link
 * leads. Names are compared like on Windows and macOS, where `Data` and `data` are the same. Null if none is below a
 * link.
 */
export function judgeBelowLinks(paths: readonly string[], links: readonly string[]): string | null {
  const below = findBelow(paths, links, (path) => path.normalize('NFC').toLowerCase());
  if (below === null) return null;
  return `The .zip has entries below the symbolic link ${formatEntryName(below)}. Zip the folder that it leads to instead.`;
}

/** The first of `parents` that contains one of `paths`, comparing folded names. */
function findBelow(
  paths: readonly string[],
  parents: readonly string[],
  fold: (path: string) => string,
): string | null {
  if (parents.length === 0) return null;
  const foldedPathOf = (path: string) => segmentsOf(fold(path)).join('/');
  // Sorting puts the entries of a folder next to each other. Looking up every folder of every path would take hours for
  // hostile names.
  const sortedPaths = paths.map(foldedPathOf).sort();
  for (const parent of parents) {
    const folder = `${foldedPathOf(parent)}/`;
    if (sortedPaths[firstFrom(sortedPaths, folder)]?.startsWith(folder)) return parent;
  }
  return null;
}

/** The index of the first of the `sortedPaths` that is not less than `path`. */
function firstFrom(sortedPaths: readonly string[], path: string): number {
  let low = 0;
  let high = sortedPaths.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sortedPaths[middle]! < path) low = middle + 1;
    else high = middle;
  }
  return low;
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '' && segment !== '.');
}

const MAX_LENGTH = 80;

/**
 * The name in quotation marks. Unprintable characters and direction marks become `?`; a long name is cut in the middle.
 */
export function formatEntryName(name: string): string {
  const printable = [...name.slice(0, 4 * MAX_LENGTH).replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, '?')];
  if (name.length <= MAX_LENGTH) return `“${printable.join('')}”`;
  const tail = [...name.slice(-MAX_LENGTH).replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, '?')];
  return `“${printable.slice(0, MAX_LENGTH / 2).join('')}…${tail.slice(-MAX_LENGTH / 2 + 1).join('')}”`;
}
