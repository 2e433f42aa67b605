// What is allowed in a build but is usually a mistake, and web builds that cannot be played.
import { formatNumber } from '@chauffeur/contract/format';
import type { Os } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import { findStartPage } from '@chauffeur/contract/start-page';
import { LocalError } from '../failures.ts';
import { formatCount } from '../output.ts';
import type { Entry, Listing } from '../zip/entries.ts';

export type BuildKind = { readonly os: Os; readonly build_type: string };

/** Windows allows 260 characters by default, with the folder into which a player unpacks the zip: about 60 of them. */
const MAX_WINDOWS_PATH = 200;
const MAX_NAMED = 5;

/** `a, b and 3 more` */
export function listNames(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  const shown = names.slice(0, more === 1 ? MAX_NAMED + 1 : MAX_NAMED);
  return shown.join(', ') + (more > 1 ? ` and ${more} more` : '');
}

const filesOf = (entries: readonly Entry[]) => entries.filter(({ kind }) => kind !== 'folder').map(({ path }) => path);

/** Throws LocalError for a web build of a game that has no page to start with, or too many files to be played. */
export function refuseUnplayable(folder: string, { entries }: Listing, { os, build_type }: BuildKind): void {
  if (os !== 'web' || build_type !== 'game') return;
  const paths = filesOf(entries);
  if (findStartPage(paths) === null) {
    const pages = paths.filter((path) => /\.html?$/i.test(path));
    throw new LocalError(
      pages.length === 0
        ? `${folder} has no index.html, so the game can't be played in the browser.`
        : `${folder} has no index.html at the top, and it is unclear which page the game starts with: ${listNames(pages)}.`,
      'Use the folder that has the index.html of the exported game.',
    );
  }
  const characters = paths.reduce((sum, path) => sum + path.length, 0);
  if (paths.length <= LIMITS.playEntries && characters <= LIMITS.playPathCharacters) return;
  throw new LocalError(
    `${folder} has ${formatCount(paths.length, 'file')}. To be played in the browser, a game can have ${formatNumber(LIMITS.playEntries)}.`,
    'Pack the files into fewer, or leave some out with --ignore.',
  );
}

/** Says what is left out because players should not get it. Null if nothing is. */
export function describeLeftOut({ leftOut }: Listing): string | null {
  const junk = leftOut.filter(({ reason }) => reason !== 'ignored');
  if (junk.length === 0) return null;
  const names = listNames(junk.map(({ path, reason }) => `${path} (${reason})`));
  return `Left out ${formatCount(junk.length, 'item')} that players should not get: ${names}. --no-ignore-junk includes them.`;
}

type Rule = (listing: Listing, kind: BuildKind) => string | null;

/** What to warn about, in sentences. */
export function findOddities(listing: Listing, kind: BuildKind): string[] {
  return RULES.map((rule) => rule(listing, kind)).filter((warning) => warning !== null);
}

const RULES: readonly Rule[] = [
  function describeUnusedGlobs({ unusedGlobs }) {
    if (unusedGlobs.length === 0) return null;
    const globs = unusedGlobs.map((glob) => JSON.stringify(glob)).join(', ');
    return `--ignore ${globs} matches nothing in the folder. Names are case-sensitive.`;
  },
  function describeJunk({ junk }) {
    const kept = junk.filter(({ isSigned }) => !isSigned);
    if (kept.length === 0) return null;
    const names = listNames(kept.map(({ path, reason }) => `${path} (${reason})`));
    return `players get ${formatCount(kept.length, 'item')} that they probably should not: ${names}. See --ignore.`;
  },
  function describeSigned({ junk }) {
    const kept = junk.filter(({ isSigned }) => isSigned);
    if (kept.length === 0) return null;
    const names = listNames(kept.map(({ path, reason }) => `${path} (${reason})`));
    return `players get ${names}. Remove such files before you sign the bundle, because removing them later invalidates its signature.`;
  },
  function describeOutside({ outside }) {
    if (outside.length === 0) return null;
    return `${formatCount(outside.length, 'symbolic link')} pointed outside the folder, so their targets were included: ${listNames(outside)}.`;
  },
  function describeStartPage({ entries }, { os, build_type }) {
    if (os !== 'web' || build_type !== 'game') return null;
    const start = findStartPage(filesOf(entries)) ?? '';
    const folders = entries.filter(({ kind, path }) => kind === 'folder' && path.indexOf('/') === path.length - 1);
    const depth = start.split('/').length - 1;
    if (depth > 1 || (depth === 1 && folders.length > 1))
      return `the game starts with ${start}, which is not at the top of the folder. If it is another page, use its folder.`;
    if (/(^|\/)index\.html$/i.test(start) && !start.endsWith('index.html'))
      return `the game starts with ${start}. Rename it to index.html, because names on the web are case-sensitive.`;
    return null;
  },
  function describeMissingProgram({ entries }, { os, build_type }) {
    const files = entries.filter(({ kind }) => kind === 'file');
    if ((os === 'linux' || os === 'macos') && !files.some(({ executable }) => executable !== false))
      return `no file is executable, so ${os} may not start the game. Use chmod +x on its program.`;
    const inBundles = files.filter(({ path }) => /\.app\/Contents\/MacOS\/[^/]+$/i.test(path));
    if (os === 'macos' && inBundles.length > 0 && !inBundles.some(({ executable }) => executable !== false))
      return `${inBundles[0]?.path} is not executable, so macOS may not start the game. Use chmod +x on it.`;
    if (build_type !== 'game') return null;
    if (os === 'windows' && !files.some(({ path }) => /\.(exe|bat|cmd|com|msi|lnk|jar|ps1|vbs|html?)$/i.test(path)))
      return 'the folder has no .exe, so players on Windows may not find out how to start the game.';
    if (os === 'android' && !files.some(({ path }) => /\.(apk|apks|aab|xapk)$/i.test(path)))
      return 'the folder has no .apk, so players cannot install the game on Android.';
    return null;
  },
  function describeOtherPlatform({ entries }, { os }) {
    const bundle = entries.find(({ kind, path }) => kind === 'folder' && /^([^/]+\/)?[^/]+\.app\/$/i.test(path));
    if (bundle !== undefined && os !== 'macos' && os !== 'ios')
      return `${bundle.path} is a program for macOS, but the build is for ${os}.`;
    const apk = entries.find(({ kind, path }) => kind === 'file' && /\.apk$/i.test(path));
    if (apk !== undefined && os !== 'android')
      return `${apk.path} is a program for Android, but the build is for ${os}.`;
    return null;
  },
  function describeArchive({ entries }) {
    const [only, other] = entries.filter(({ kind }) => kind !== 'folder');
    if (only === undefined || other !== undefined || !/\.(zip|7z|rar|tgz|tar(\.\w+)?)$/i.test(only.path)) return null;
    return `the folder has only ${only.path}, so players get an archive inside a zip. Unpack it first.`;
  },
  function describeProject({ entries }) {
    const project = entries.find(({ path }) =>
      /^([^/]+\.uproject|project\.godot|ProjectSettings\/ProjectVersion\.txt)$/i.test(path),
    );
    if (project === undefined) return null;
    return `the folder has ${project.path}, so it looks like the project, not like the exported game.`;
  },
  function describeWindowsLinks({ entries }, { os }) {
    const links = os === 'windows' ? entries.filter(({ kind }) => kind === 'symlink').map(({ path }) => path) : [];
    if (links.length === 0) return null;
    return `Windows unpacks ${formatCount(links.length, 'symbolic link')} as text files: ${listNames(links)}. See --dereference.`;
  },
  function describeLongPaths({ entries }, { os }) {
    const long = os === 'windows' ? entries.filter(({ path }) => path.length > MAX_WINDOWS_PATH) : [];
    const [first] = long;
    if (first === undefined) return null;
    const paths = long.length === 1 ? '1 path has' : `${formatNumber(long.length)} paths have`;
    return `${paths} more than ${MAX_WINDOWS_PATH} characters. With the player's own folder, they can exceed the 260 characters that Windows allows: ${first.path}`;
  },
  function describeNormalization({ entries }, { os }) {
    const composed = new Map<string, string>();
    for (const { path } of entries) {
      const other = composed.get(path.normalize('NFC'));
      if (other !== undefined) return `two names look the same and differ only in Unicode normalization: ${other}`;
      composed.set(path.normalize('NFC'), path);
    }
    const other = os === 'web' ? entries.find(({ path }) => path !== path.normalize('NFC')) : undefined;
    if (other === undefined) return null;
    return `${other.path} has accents as separate characters, as macOS writes them, so pages may not find it. Rename it.`;
  },
];
