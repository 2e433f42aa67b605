// Decides by its central directory whether a zip is taken: an ordered list of named rules.
import { findWindowsProblem, foldPath, hasUnsafeCharacter, ignoresCase } from '@chauffeur/contract/file-names';
import type { Os } from '@chauffeur/contract/identity';
import { GIB, LIMITS, MIB } from '@chauffeur/contract/limits';
import { showName } from './entry-name.ts';
import { judgeBelowFiles, judgeBelowLinks } from './link-rules.ts';
import { FLAGS, MODES, type ZipDirectory, type ZipEntry } from './zip-entry.ts';

type Rule = {
  readonly name: string;
  /**
   * Why the zip is refused: a sentence that names the entry and the remedy. Null when the rule has nothing against it. `os` is that of the
   * build, where it is known.
   */
  readonly judge: (directory: ZipDirectory, os?: Os) => string | null;
};

/** Bytes of a path; no system takes a longer one (PATH_MAX). */
const LONGEST_PATH = 4096;
const LOCAL_HEADER_BYTES = 30;
/** Of all links together. They are held in memory to be followed; a game has a few hundred of them. */
const MAX_TARGET_BYTES = 16 * MIB;

/** The rules. The first that refuses gives the reason, so those that make a name safe to judge stand before those that use it. */
export const ZIP_RULES: readonly Rule[] = [
  {
    name: 'too-many-entries',
    judge: ({ entryCount }) =>
      entryCount > LIMITS.zipEntries
        ? `The .zip has ${count(entryCount)} entries and may have ${count(LIMITS.zipEntries)}; pack small files into archives of your engine.`
        : null,
  },
  {
    name: 'no-file',
    judge: ({ entries }) =>
      entries.some((entry) => entry.type === 'file') ? null : 'The .zip holds no file; add the files of the build.',
  },
  {
    name: 'unreadable-name',
    judge: ofNames((name) => name === '' || /[\0\uFFFD]/.test(name), 'cannot be read; name it in UTF-8'),
  },
  {
    name: 'long-name',
    judge: ofNames(
      (name) => Buffer.byteLength(name) > LONGEST_PATH,
      'has too long a name; use fewer or shorter folders',
    ),
  },
  {
    name: 'absolute-path',
    judge: ofNames(
      (name) => /^([/\\]|[a-z]:)/i.test(name),
      'is an absolute path; zip the folder’s content by relative paths',
    ),
  },
  {
    name: 'backslash',
    // A folder to Windows, a part of the name to others: players would not get the same files.
    judge: ofNames((name) => name.includes('\\'), 'has a backslash; divide folders by /'),
  },
  {
    name: 'parent-folder',
    judge: ofNames((name) => name.split('/').includes('..'), 'leads out of the archive; zip it without .. in its path'),
  },
  {
    name: 'control-character',
    judge: ofNames(
      hasUnsafeCharacter,
      'has a line break, another control character or one that turns the text around in its name; rename it',
    ),
  },
  { name: 'windows-name', judge: judgeWindowsNames },
  { name: 'duplicate-name', judge: judgeDuplicates },
  { name: 'same-but-for-case', judge: judgeCase },
  {
    name: 'special-file',
    judge: ofEntries(
      ({ mode }) => ![0, MODES.file, MODES.folder, MODES.symlink].includes(mode & MODES.type),
      'is a device, a pipe or a socket; leave it out',
    ),
  },
  {
    name: 'setuid',
    // On a folder the second bit only says which group new files belong to.
    judge: ofEntries(
      ({ mode, type }) => (mode & (type === 'folder' ? MODES.setuid : MODES.setuid | MODES.setgid)) !== 0,
      'would run with the rights of another user (setuid or setgid); take the bit away with chmod ug-s',
    ),
  },
  {
    name: 'two-types',
    judge: ofEntries(
      ({ path, type, mode, isDosFolder }) =>
        type === 'symlink'
          ? path.endsWith('/')
          : type === 'file' && ((mode & MODES.type) === MODES.folder || ((mode & MODES.type) === 0 && isDosFolder)),
      'is a folder and something else, too; make the .zip again with another tool',
    ),
  },
  {
    name: 'encrypted',
    judge: ofEntries(
      ({ flags }) => (flags & (FLAGS.encrypted | FLAGS.maskedHeaders)) !== 0,
      'is encrypted and cannot be scanned; zip it without a password',
    ),
  },
  {
    name: 'unknown-compression',
    judge: ofEntries(
      ({ method }) => method !== 0 && method !== 8,
      'is compressed in a way that not every unpacker knows; use deflate or store',
    ),
  },
  {
    name: 'lying-size',
    judge: ofEntries(
      ({ method, size, packedSize }) => method === 0 && size !== packedSize,
      'is stored and yet has two sizes; make the .zip again',
    ),
  },
  {
    name: 'folder-with-content',
    judge: ofEntries(
      ({ type, size }) => type === 'folder' && size > 0,
      'is a folder with content; make the .zip again',
    ),
  },
  {
    name: 'link-without-target',
    judge: ofEntries(
      ({ type, size }) => type === 'symlink' && (size === 0 || size > LONGEST_PATH),
      'is a symbolic link and its content is not a path; make the .zip again',
    ),
  },
  {
    name: 'long-targets',
    judge: ({ entries }) =>
      unpackedBytes(entries.filter(isLink)) > MAX_TARGET_BYTES
        ? `The .zip’s symbolic links have targets of over ${MAX_TARGET_BYTES / MIB} MB; zip fewer links.`
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
    // Another program, such as an installer, would start from the same file.
    judge: ({ entries }) =>
      entries.every(({ offset }) => offset > 0)
        ? 'The .zip has bytes before its first entry, as a self-extracting archive has; upload a plain .zip.'
        : null,
  },
  {
    name: 'unpacked-size',
    judge: ({ entries }) =>
      unpackedBytes(entries) > LIMITS.zipUnpackedBytes
        ? `The .zip unpacks to over ${LIMITS.zipUnpackedBytes / GIB} GB; split the build.`
        : null,
  },
  {
    name: 'ratio',
    judge: ({ entries, fileSize }) =>
      unpackedBytes(entries) > LIMITS.zipRatio * fileSize
        ? `The .zip unpacks to over ${LIMITS.zipRatio} times its size; leave out files that are mostly zeros.`
        : null,
  },
];

/** Why a zip with this directory is refused for a build of `os`: a sentence for its uploader. Null when it is taken. */
export function judgeDirectory(directory: ZipDirectory, os?: Os): string | null {
  for (const rule of ZIP_RULES) {
    const reason = rule.judge(directory, os);
    if (reason !== null) return reason;
  }
  return null;
}

/** Bytes of all entries unpacked, as the directory announces them. */
export function unpackedBytes(entries: readonly ZipEntry[]): number {
  return entries.reduce((sum, entry) => sum + entry.size, 0);
}

function ofEntries(isBad: (entry: ZipEntry) => boolean, what: string): Rule['judge'] {
  return ({ entries }) => {
    const bad = entries.find(isBad);
    return bad === undefined ? null : `The .zip’s entry ${showName(bad.path)} ${what}.`;
  };
}

function ofNames(isBad: (name: string) => boolean, what: string): Rule['judge'] {
  return ({ entries }) => {
    for (const { names } of entries) {
      const bad = names.find(isBad);
      if (bad !== undefined) return `The .zip’s entry ${showName(bad)} ${what}.`;
    }
    return null;
  };
}

function judgeWindowsNames({ entries }: ZipDirectory, os?: Os): string | null {
  if (os !== 'windows') return null;
  for (const name of namesOf(entries)) {
    const problem = findWindowsProblem(name);
    if (problem !== null)
      return `The .zip’s entry ${showName(name)} cannot be created by Windows: ${problem} there; rename it.`;
  }
  return null;
}

/** Two entries for one place. `a`, `a/`, `./a` and `a//` are one place to an unpacker. */
function judgeDuplicates({ entries }: ZipDirectory): string | null {
  const [name] = findSamePlace(entries, placeOf) ?? [];
  return name === undefined ? null : `The .zip has two entries named ${showName(name)}; keep one of them.`;
}

/** On Windows and macOS `A` and `a` are one file: players would get whichever is unpacked last. Two folders become one, and lose nothing. */
function judgeCase({ entries }: ZipDirectory, os?: Os): string | null {
  if (!ignoresCase(os)) return null;
  const same = findSamePlace(entries, (name) => foldPath(placeOf(name), os), bothAreFolders);
  if (same === null) return null;
  const system = os === 'windows' ? 'Windows' : 'macOS';
  return `The .zip’s entries ${showName(same[0])} and ${showName(same[1])} are one file on ${system}; rename one of them.`;
}

/** The names of the first two entries at one place, the later one first; null when each has a place of its own. */
function findSamePlace(
  entries: readonly ZipEntry[],
  placeOfName: (name: string) => string,
  mayShare: (one: ZipEntry, other: ZipEntry) => boolean = () => false,
): [string, string] | null {
  const seen = new Map<string, [ZipEntry, string]>();
  for (const entry of entries) {
    for (const name of entry.names) {
      const place = placeOfName(name);
      const [other, otherName = ''] = seen.get(place) ?? [];
      if (other !== undefined && other !== entry && !mayShare(other, entry)) return [name, otherName];
      seen.set(place, [entry, name]);
    }
  }
  return null;
}

function bothAreFolders(one: ZipEntry, other: ZipEntry): boolean {
  return one.type === 'folder' && other.type === 'folder';
}

function placeOf(name: string): string {
  return name
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/');
}

/**
 * Every entry has bytes of its own, before the directory. In a bomb of overlapping files (D. Fifield, “A better zip bomb”,
 * 2019) many entries share one kernel of data. An entry’s local header may be longer than is known here; the scan sees that.
 */
function judgeOverlaps({ entries, start }: ZipDirectory): string | null {
  const inFileOrder = entries.toSorted((a, b) => a.offset - b.offset);
  for (const [index, entry] of inFileOrder.entries()) {
    const end = entry.offset + LOCAL_HEADER_BYTES + entry.rawName.length + entry.packedSize;
    const next = inFileOrder[index + 1];
    if (end <= (next?.offset ?? start)) continue;
    const other = next === undefined ? 'the directory' : showName(next.path);
    return `The .zip’s entry ${showName(entry.path)} shares bytes with ${other}; make the .zip again with another tool.`;
  }
  return null;
}

function namesOf(entries: readonly ZipEntry[]): string[] {
  return entries.flatMap(({ names }) => names);
}

function isLink({ type }: ZipEntry): boolean {
  return type === 'symlink';
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
