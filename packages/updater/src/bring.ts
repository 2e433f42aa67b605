// Brings the folder of a game to a build, whatever is in it.
import { join } from 'node:path';
import { encodeManifest, packManifest } from '@chauffeur/deltas/manifest';
import { type Changes, checkObstacles, isExecutable, isUnchanged, planChanges, reusedOf, timesOf } from './changes.ts';
import type { Part } from './download.ts';
import { UpdaterError } from './error.ts';
import { statOf } from './inside.ts';
import { type Options, type Result, versionOf } from './options.ts';
import type { Offer, Release } from './server.ts';
import { type StagedFile, stage } from './stage.ts';
import { stagedName } from './staged-name.ts';
import {
  type Install,
  type InstalledBuild,
  NEXT_STATE,
  readFileTimes,
  readInstalledManifest,
  writeNextState,
} from './state.ts';
import { ignoresCaseIn, surveyAll } from './survey.ts';
import { type InstallFolders, type Step, switchOver } from './switch-over.ts';
import { checkManifest, openTarget, removeSpools } from './target.ts';
import { Transfer } from './transfer.ts';

/** The folder within the state folder for files of the player that `repair` replaced. */
export const REPLACED = 'replaced';

/** Higher levels of compression need much more memory. */
const STATE_LEVEL = 3;

type BringOptions = Options & {
  readonly replaces: boolean;
  readonly thorough: boolean;
  readonly changelog: readonly Release[];
};

/** Brings the folder to a build, whatever is in it now. */
export async function bringTo(
  folders: InstallFolders,
  current: Install,
  offer: Offer,
  options: BringOptions,
): Promise<Result> {
  const start = performance.now();
  const signal = options.signal ?? new AbortController().signal;
  const transfer = new Transfer(options);
  const old = await readInstalledManifest(folders);
  const times = options.thorough ? {} : await readFileTimes(folders);
  const found = old === null ? [] : await surveyAll(folders, old, times, options);
  const isUsable = (entry: number) => found[entry]!.status === 'same';
  const target = await openTarget({ folders, current, offer, old, isUsable, options, transfer, signal });
  const { manifest } = target;
  checkManifest(manifest);
  const present = { manifest: old, found, ignoresCase: await ignoresCaseIn(folders) };
  const changes = await planChanges(folders, present, manifest, { replaces: options.replaces, signal });
  const staged = await stage({
    folders,
    changes,
    made: target.made,
    signal,
    fetchParts: (parts) =>
      transfer.fetch(target.source, offer.size, current.build === null ? fromStart(parts) : parts, signal),
    onPlanned: (bytes) => transfer.plan(bytes),
    onBuilt: (bytes) => transfer.built(bytes, changes),
    onResumed: (bytes) => transfer.resumed(bytes),
  });
  signal.throwIfAborted();
  const { steps, kept, replaced } = await stepsOf(folders, changes, staged);
  await checkObstacles(folders, steps.all);
  const build: InstalledBuild = {
    ...{ buildId: offer.buildId, version: offer.version, fileUid: offer.fileUid },
    ...{ size: offer.size, checksum: offer.checksum },
  };
  const next: Install = { ...current, key: target.key, isSigned: target.isSigned, build };
  await writeNextState(folders, {
    install: next,
    times: timesOf([
      ...changes.inPlace.map(({ entry, stats }) => [entry.path, stats] as const),
      ...staged
        .filter(({ entry }) => !kept.includes(entry.path))
        .map(({ entry, stats }) => [entry.path, stats] as const),
    ]),
    manifest: packManifest(encodeManifest(manifest), STATE_LEVEL),
  });
  options.onProgress?.({ phase: 'switching', done: 0, total: steps.all.length });
  await switchOver(folders, { steps: steps.all, state: NEXT_STATE });
  options.onProgress?.({ phase: 'switching', done: steps.all.length, total: steps.all.length });
  await removeSpools(folders, null);
  return {
    game: current.game.name,
    folder: folders.game,
    from: current.build === null ? null : versionOf(current.build),
    to: versionOf(offer),
    downloadedBytes: transfer.downloadedBytes,
    reusedBytes: reusedOf(changes, (entry) => target.made.get(stagedName(entry))?.newBytes),
    seconds: secondsSince(start),
    kept,
    replaced: replaced === null ? null : { folder: join(folders.state, replaced), paths: changes.replaced },
    changelog: options.changelog,
  };
}

/** A local header with the longest path. */
const MAX_HEADER_BYTES = 8192;

/** Begins with the first byte of the zip, since servers count a download when its first byte is asked for. */
function fromStart(parts: readonly Part[]): readonly Part[] {
  const first = parts.reduce((least, { offset }) => Math.min(least, offset), Number.POSITIVE_INFINITY);
  if (first === 0 || first > MAX_HEADER_BYTES) return parts;
  return [{ offset: 0, length: first, use: async () => {} }, ...parts];
}

/** All changes of the folder, without those of files that were changed while the new version was built. */
async function stepsOf(
  folders: InstallFolders,
  changes: Changes,
  staged: readonly StagedFile[],
): Promise<{ steps: { all: Step[] }; kept: string[]; replaced: string | null }> {
  const kept = new Set(changes.kept);
  const to = `${REPLACED}/${new Date().toISOString().replaceAll(':', '-')}`;
  const saves = changes.replaced.map((path): Step => ({ kind: 'save', path, to: `${to}/${path}` }));
  const removals: Step[] = [];
  for (const { path, stats } of changes.removed) {
    if (stats === null || (await isUnchanged(folders, path, stats))) removals.push({ kind: 'remove', path });
    else kept.add(path);
  }
  const puts: Step[] = [];
  for (const { entry, name, stats } of staged) {
    const { path } = entry;
    await requireUnchanged(join(folders.staged, name), stats);
    const seen = changes.seen.get(path) ?? null;
    const isSaved = changes.replaced.includes(path);
    const isWritten = !isSaved && seen?.isDirectory() !== true && !(await isUnchanged(folders, path, seen));
    if (isWritten) kept.add(path);
    else puts.push({ kind: 'put', path, staged: name, executable: isExecutable(entry.mode) });
  }
  const all = [...saves, ...removals, ...changes.folders, ...puts, ...changes.links, ...changes.modes];
  return { steps: { all }, kept: [...kept].sort(), replaced: saves.length > 0 ? to : null };
}

/** A file that was only moved is still the old one until the switch, and the game may have written it. */
async function requireUnchanged(path: string, { size, mtimeMs }: StagedFile['stats']): Promise<void> {
  const now = await statOf(path);
  if (now?.size === size && now.mtimeMs === mtimeMs) return;
  throw new UpdaterError(
    'folder',
    'The game changed its files while they were updated.',
    'Close the game, then try again.',
  );
}

export function secondsSince(start: number): number {
  return Math.round(performance.now() - start) / 1000;
}
