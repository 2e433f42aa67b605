// Decides what is done with each entry of a new version, and with each file of the old one.
import type { Stats } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Entry, FileEntry, Manifest } from '@chauffeur/deltas/manifest';
import { type Plan, planUpdate, type Tree } from '@chauffeur/deltas/plan';
import { UpdaterError } from './error.ts';
import { statOf } from './inside.ts';
import type { FileTimes } from './state.ts';
import { type Found, hasContent, isLinkTo, Places } from './survey.ts';
import type { InstallFolders, Step } from './switch-over.ts';

/** What is there, and how it was found. */
export type Present = {
  readonly manifest: Manifest | null;
  readonly found: readonly Found[];
  /** Whether names that differ only in case are one file. */
  readonly ignoresCase: boolean;
};

export type Changes = {
  /** The old version as a source of bytes. */
  readonly old: Tree;
  /** The new version without the entries that aren't written. */
  readonly wanted: Manifest;
  readonly plan: Plan;
  /** Paths of files that stay as they are, because the player changed or added them. */
  readonly kept: readonly string[];
  /** Files of the player that `repair` replaces. */
  readonly replaced: readonly string[];
  /** Entries of the new version that are in place already. */
  readonly inPlace: readonly { readonly entry: FileEntry; readonly stats: Stats }[];
  /** What is at the paths of the new files, which must not change before they are put there. */
  readonly seen: ReadonlyMap<string, Stats | null>;
  readonly links: readonly Step[];
  readonly folders: readonly Step[];
  readonly modes: readonly Step[];
  /** What is removed: files, links and folders of the old version, each with what was seen there. */
  readonly removed: readonly { readonly path: string; readonly stats: Stats | null }[];
};

export type ChangesOptions = {
  /** Whether changed files are replaced, after the player's copies were moved elsewhere. */
  readonly replaces: boolean;
  readonly signal: AbortSignal | undefined;
};

const EMPTY: Tree = {
  entries: [],
  blocks: { count: 0, hashes: Buffer.alloc(0), lengths: new Uint32Array(), packed: new Uint32Array() },
};

/** Rejects with UpdaterError if something in the folder is in the way. */
export async function planChanges(
  folders: InstallFolders,
  { manifest: old, found, ignoresCase }: Present,
  wanted: Manifest,
  { replaces, signal }: ChangesOptions,
): Promise<Changes> {
  const before = new Map<string, number>(old?.entries.map(({ path }, index) => [path, index]) ?? []);
  const folded = ignoresCase
    ? new Map<string, number>(old?.entries.map(({ path }, index) => [fold(path), index]) ?? [])
    : before;
  const places = new Places(folders.game);
  const [kept, replaced]: [string[], string[]] = [[], []];
  const [links, newFolders, modes]: [Step[], Step[], Step[]] = [[], [], []];
  const inPlace: { entry: FileEntry; stats: Stats }[] = [];
  const written: Entry[] = [];
  const seen = new Map<string, Stats | null>();
  const replacedBy = new Set<number>();

  /** What is at a path, unless it is of the old version and goes away: then `null`. */
  const ownerOf = async (path: string): Promise<{ stats: Stats; index: number | undefined } | null> => {
    const stats = await places.stat(path);
    if (stats === null) return null;
    const index = before.get(path) ?? folded.get(ignoresCase ? fold(path) : path);
    return { stats, index: index !== undefined && found[index]!.status === 'same' ? index : undefined };
  };

  for (const entry of wanted.entries) {
    signal?.throwIfAborted();
    const there = await ownerOf(entry.path);
    const same = there?.index === undefined ? undefined : old!.entries[there.index]!;
    if (entry.type === 'folder') {
      if (there !== null && !there.stats.isDirectory() && same === undefined)
        throw inTheWay(folders, entry.path, 'folder');
      if (there === null || !there.stats.isDirectory()) newFolders.push({ kind: 'folder', path: entry.path });
      if (there !== null && !there.stats.isDirectory()) replacedBy.add(there.index!);
      continue;
    }
    if (entry.type === 'link') {
      if (there !== null && (await isLinkTo(join(folders.game, entry.path), there.stats, entry.target))) continue;
      if (there !== null && same === undefined && !there.stats.isDirectory()) {
        if (!replaces) {
          kept.push(entry.path);
          continue;
        }
        replaced.push(entry.path);
      }
      links.push({ kind: 'link', path: entry.path, target: entry.target });
      continue;
    }
    if (there !== null && same === undefined && !there.stats.isDirectory()) {
      if (await hasContent(join(folders.game, entry.path), there.stats, entry, signal)) {
        inPlace.push({ entry, stats: there.stats });
        addMode(modes, entry, there.stats);
        continue;
      }
      if (!replaces) {
        kept.push(entry.path);
        continue;
      }
      replaced.push(entry.path);
    }
    written.push(entry);
    seen.set(entry.path, there?.stats ?? null);
  }
  const filtered: Manifest = { ...wanted, entries: written };
  const tree: Tree = old ?? EMPTY;
  const plan = planUpdate(tree, filtered, { isUsable: (index) => found[index]!.status === 'same' });
  for (const index of plan.kept) {
    const entry = written[index] as FileEntry;
    const stats = found[before.get(entry.path)!]!.stats!;
    inPlace.push({ entry, stats });
    addMode(modes, entry, stats);
  }
  const removed = findRemoved(old, found, wanted, replacedBy, kept);
  return {
    ...{ old: tree, wanted: filtered, plan, kept: [...new Set(kept)].sort(), replaced, inPlace },
    ...{ seen, links, folders: newFolders, modes, removed },
  };
}

function fold(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

function addMode(modes: Step[], { path, mode }: FileEntry, stats: Stats): void {
  const executable = isExecutable(mode);
  if (process.platform !== 'win32' && isExecutable(stats.mode) !== executable)
    modes.push({ kind: 'mode', path, executable });
}

export function isExecutable(mode: number): boolean {
  return (mode & 0o111) !== 0;
}

/** Entries of the old version that the new one doesn't have. Files that the player changed are added to `kept`. */
function findRemoved(
  old: Manifest | null,
  found: readonly Found[],
  wanted: Manifest,
  replacedBy: ReadonlySet<number>,
  kept: string[],
): { path: string; stats: Stats | null }[] {
  const stay = new Set(wanted.entries.map(({ path }) => path));
  const removed: { path: string; stats: Stats | null }[] = [];
  for (const [index, { path, type }] of old?.entries.entries() ?? []) {
    if (stay.has(path) && !replacedBy.has(index)) continue;
    const { status, stats } = found[index]!;
    if (status === 'same') removed.push({ path, stats: type === 'folder' ? null : stats });
    if (status === 'changed' && type !== 'folder') kept.push(path);
  }
  // Folders from the inside out.
  return removed.sort((a, b) => (a.path < b.path ? 1 : -1));
}

/** Bytes that don't have to be downloaded. `newBytesOf` knows files that a patch made. */
export function reusedOf(
  { wanted: { entries }, plan, inPlace }: Pick<Changes, 'wanted' | 'plan' | 'inPlace'>,
  newBytesOf: (entry: FileEntry) => number | undefined,
): number {
  const placed = inPlace.reduce((sum, { entry }) => sum + entry.size, 0);
  const pieces = plan.files.reduce((sum, { entry, pieces }) => {
    const file = entries[entry] as FileEntry;
    const newBytes = newBytesOf(file);
    if (newBytes !== undefined) return sum + file.size - newBytes;
    const { method } = file;
    if (method === 'whole' && pieces.some(({ kind }) => kind === 'fetched')) return sum;
    return sum + pieces.reduce((own, piece) => own + (piece.kind === 'fetched' ? 0 : piece.length), 0);
  }, 0);
  return placed + pieces;
}

function inTheWay(folders: InstallFolders, path: string, what: 'folder' | 'file'): UpdaterError {
  return new UpdaterError(
    'folder',
    `${join(folders.game, path)} is where the new version has a ${what}.`,
    'Move it elsewhere, then try again.',
  );
}

/**
 * Checks that nothing is in the way of the steps, as far as can be seen before anything is removed. Rejects with UpdaterError
 * otherwise.
 */
export async function checkObstacles(folders: InstallFolders, steps: readonly Step[]): Promise<void> {
  const goes = new Set(steps.flatMap((step) => (step.kind === 'remove' || step.kind === 'save' ? [step.path] : [])));
  const parents = new Set<string>();
  for (const step of steps) {
    if (step.kind === 'remove' || step.kind === 'save') continue;
    for (let end = step.path.lastIndexOf('/'); end > 0; end = step.path.lastIndexOf('/', end - 1)) {
      const parent = step.path.slice(0, end);
      if (parents.has(parent)) break;
      parents.add(parent);
      const stats = await statOf(join(folders.game, parent));
      if (stats !== null && !stats.isDirectory() && !goes.has(parent)) throw inTheWay(folders, parent, 'folder');
    }
    if (step.kind !== 'put' && step.kind !== 'link') continue;
    const stats = await new Places(folders.game).stat(step.path);
    if (stats?.isDirectory() && !(await becomesEmpty(folders, step.path, goes)))
      throw inTheWay(folders, step.path, 'file');
  }
}

/** Whether nothing is left in a folder after the removals. Folders in it go only if something is removed from them. */
async function becomesEmpty(folders: InstallFolders, path: string, goes: ReadonlySet<string>): Promise<boolean> {
  for (const entry of await readdir(join(folders.game, path), { withFileTypes: true })) {
    const own = `${path}/${entry.name}`;
    const isGone = entry.isDirectory()
      ? [...goes].some((path) => path.startsWith(`${own}/`)) && (await becomesEmpty(folders, own, goes))
      : goes.has(own);
    if (!isGone) return false;
  }
  return true;
}

/** Whether a file is still as it was seen, or is gone: the game may have written it in the meantime. */
export async function isUnchanged(folders: InstallFolders, path: string, seen: Stats | null): Promise<boolean> {
  const now = await new Places(folders.game).stat(path);
  if (seen === null || now === null) return now === null;
  return now.size === seen.size && now.mtimeMs === seen.mtimeMs && now.ino === seen.ino;
}

/** The times of files for the state of the new version. */
export function timesOf(files: Iterable<readonly [path: string, stats: Stats]>): FileTimes {
  const times: Record<string, readonly [number, number]> = Object.create(null);
  for (const [path, { size, mtimeMs }] of files) times[path] = [size, mtimeMs];
  return times;
}
