// Installs, updates, checks, repairs and removes a game in a folder. A launcher calls these functions; the command
// `chauffeur` does too.
import { readdir, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { encodeManifest, type Manifest, packManifest } from '@chauffeur/deltas/manifest';
import { findPlaceProblem } from '@chauffeur/deltas/paths';
import { type Changes, checkObstacles, isExecutable, isUnchanged, planChanges, timesOf } from './changes.ts';
import { hashFile } from './content.ts';
import { download, type Part, type Source } from './download.ts';
import { makeFolder, removeFile } from './durable.ts';
import { UpdaterError } from './error.ts';
import { fetchKeys, fetchManifest } from './fetch-signed.ts';
import { Handles } from './handles.ts';
import { isEmptyFolder, statOf } from './inside.ts';
import { withLock } from './lock.ts';
import { hostOs, type Platform, platformsOf } from './platform.ts';
import { PATIENT, type RetryPolicy } from './retries.ts';
import { type GameAddress, GameServer, type Offer, type Release } from './server.ts';
import { checkSpace, explainFileError } from './space.ts';
import { Spool } from './spool.ts';
import { type StagedFile, stage } from './stage.ts';
import {
  type FileTimes,
  type Install,
  type InstalledBuild,
  NEXT_STATE,
  newDeviceUid,
  readFileTimes,
  readInstall,
  readInstalledManifest,
  writeInstall,
  writeNextState,
} from './state.ts';
import { findAdded, ignoresCaseIn, survey } from './survey.ts';
import {
  clearOld,
  finishSwitch,
  foldersOf,
  type InstallFolders,
  isSwitching,
  STATE_FOLDER,
  type Step,
  switchOver,
} from './switch-over.ts';
import { Throttle } from './throttle.ts';
import { followKeys, openManifest, parseSignature, untrusted } from './trust.ts';
import { localSource, readZip } from './whole-zip.ts';
import { ZipSource } from './zip-source.ts';

type Phase = 'checking' | 'downloading' | 'building' | 'switching';
/** Bytes that are done, and in total, of the current phase. */
export type Progress = { readonly phase: Phase; readonly done: number; readonly total: number };

export type Options = {
  /** The folder of the game. */
  readonly folder: string;
  /** Sent to the server: the login of a player who may see more than others. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Pauses: what has arrived is used by the next call. The function rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Bytes per second; no limit by default. */
  readonly limitRate?: number;
  readonly onProgress?: (progress: Progress) => void;
  readonly fetch?: typeof fetch;
  readonly retries?: RetryPolicy;
  /** How long nothing may arrive before a connection is tried again; half a minute by default. */
  readonly stallMs?: number;
};

export type InstallOptions = Options & {
  readonly address: GameAddress;
  readonly channel?: string;
  /** Instead of what this computer is. */
  readonly platform?: Partial<Platform>;
};

type Version = { readonly buildId: string; readonly version: string };

export type Result = {
  readonly game: string;
  readonly folder: string;
  /** Null if nothing was installed before. */
  readonly from: Version | null;
  readonly to: Version;
  readonly downloadedBytes: number;
  /** Bytes of the new version that were on disk already. */
  readonly reusedBytes: number;
  readonly seconds: number;
  /** Files that were left alone, because the player changed or added them. */
  readonly kept: readonly string[];
  /** Where `repair` moved the player's copies, and which; null if there were none. */
  readonly replaced: { readonly folder: string; readonly paths: readonly string[] } | null;
  /** What is new, the newest first. */
  readonly changelog: readonly Release[];
};

const DEFAULT_STALL_MS = 30_000;
/** The beginning of the second name that Windows gives to `.chauffeur`. */
const SHORT_NAME = `${STATE_FOLDER.slice(1, 7)}~`;
const LOCK = 'lock';
const REPLACED = 'replaced';

/** Installs a game into a folder that is empty or doesn't exist, or goes on with an installation that was interrupted. */
export function install(options: InstallOptions): Promise<Result> {
  return inFolder(
    options,
    async (folders) => {
      const begun = await readInstall(folders);
      if (begun?.build != null) throw alreadyInstalled(folders, begun);
      if (begun === null && !(await isEmptyFolder(folders.game, [STATE_FOLDER])))
        throw new UpdaterError('folder', `${folders.game} isn’t empty.`, 'Choose another folder for the game.');
      const { address, channel = 'stable', platform = {} } = options;
      const server = serverOf(address.server, options);
      const platforms = platformsOf(platform);
      const found = await server.findOffer(address.game, channel, platforms, options.signal);
      const { offer, game } = found;
      if (offer === null) throw notOffered(game.name, channel, platforms, found.others);
      const next: Install = {
        format: 1,
        server: address.server,
        game,
        channel,
        os: offer.os,
        arch: offer.arch,
        deviceUid: begun?.deviceUid ?? newDeviceUid(),
        key: begun?.game.uid === game.uid ? begun.key : null,
        isSigned: begun?.game.uid === game.uid && begun.isSigned,
        build: null,
        program: null,
      };
      await writeInstall(folders, next);
      const changelog = found.release === null ? [] : [found.release];
      return bringTo(folders, next, offer, { ...options, replaces: false, thorough: false, changelog });
    },
    { creates: true },
  );
}

/** Brings an installed game to what its channel offers this device now. */
export function update(options: Options & { readonly channel?: string }): Promise<Result> {
  return inFolder(options, async (folders) => {
    const before = await requireInstall(folders);
    const current = { ...before, channel: options.channel ?? before.channel };
    const server = serverOf(current.server, options);
    const start = performance.now();
    if (current.build === null) {
      const { offer, game, others } = await server.findOffer(
        current.game.uid,
        current.channel,
        [{ os: current.os, arch: current.arch }],
        options.signal,
      );
      if (offer === null) throw notOffered(game.name, current.channel, [current], others);
      return bringTo(folders, current, offer, { ...options, replaces: false, thorough: false, changelog: [] });
    }
    const answer = await server.findUpdate(installedOf(current, current.build), options.signal);
    if (answer.offer === null)
      throw notOffered(current.game.name, current.channel, [{ os: current.os, arch: current.arch }], []);
    if (!answer.isUpdate) {
      if (current.channel !== before.channel) await writeInstall(folders, current);
      return unchanged(folders, current, current.build, start);
    }
    return bringTo(folders, current, answer.offer, {
      ...options,
      ...{ replaces: false, thorough: false, changelog: answer.changelog },
    });
  });
}

export type Check = {
  readonly installed: Version | null;
  /** The version to update to; null if there is none. */
  readonly available: Version | null;
  /** Why the installed version should not be used; null if it can. */
  readonly withdrawn: string | null;
  readonly changelog: readonly Release[];
};

/** Asks the server whether there is an update. Changes nothing. */
export async function checkForUpdate(options: Options): Promise<Check> {
  const current = await requireInstall(foldersOf(resolve(options.folder)));
  const server = serverOf(current.server, options);
  if (current.build === null) return { installed: null, available: null, withdrawn: null, changelog: [] };
  const answer = await server.findUpdate(installedOf(current, current.build), options.signal);
  const available = answer.isUpdate && answer.offer !== null ? versionOf(answer.offer) : null;
  const { withdrawn, changelog } = answer;
  return { installed: versionOf(current.build), available, withdrawn, changelog };
}

export type Verification = {
  readonly game: string;
  readonly version: Version;
  /** Files whose content is not that of the version. */
  readonly changed: readonly string[];
  readonly missing: readonly string[];
  /** Files that aren't of the version. */
  readonly added: readonly string[];
};

/** Reads all files and compares them with what was installed. Changes nothing. */
export function verify(options: Options): Promise<Verification> {
  return inFolder(options, async (folders) => {
    const { game, build } = await requireInstall(folders);
    if (build === null) throw notComplete(folders);
    const manifest = await readInstalledManifest(folders);
    if (manifest === null)
      throw new UpdaterError('folder', 'The list of installed files is missing or damaged.', 'Repair the game.');
    const found = await surveyAll(folders, manifest, {}, { ...options, thorough: true });
    const having = (status: string) =>
      manifest.entries.flatMap(({ path }, index) => (found[index]!.status === status ? [path] : []));
    return {
      game: game.name,
      version: versionOf(build),
      changed: having('changed'),
      missing: having('missing'),
      added: await findAdded(folders, manifest),
    };
  });
}

/**
 * Makes all files of the installed version right again. Files that differ are moved into a folder that the result names.
 * Added files stay. An installation that was interrupted is completed.
 */
export function repair(options: Options): Promise<Result> {
  return inFolder(options, async (folders) => {
    const current = await requireInstall(folders);
    const { build, game, os, arch } = current;
    const offer =
      build === null
        ? (await serverOf(current.server, options).findOffer(game.uid, current.channel, [{ os, arch }], options.signal))
            .offer
        : { ...build, os, arch };
    if (offer === null) throw notOffered(game.name, current.channel, [{ os, arch }], []);
    return bringTo(folders, current, offer, { ...options, replaces: true, thorough: true, changelog: [] });
  });
}

export type Removal = { readonly game: string; readonly folder: string; readonly kept: readonly string[] };

/** Removes the game. Files that the player changed or added stay. */
export async function uninstall(options: Options): Promise<Removal> {
  const removal = await inFolder(options, async (folders) => {
    const { game } = await requireInstall(folders);
    const manifest = await readInstalledManifest(folders);
    const kept: string[] = [];
    if (manifest !== null) {
      const found = await surveyAll(folders, manifest, await readFileTimes(folders), { ...options, thorough: false });
      const paths = manifest.entries.map(({ path }, index) => ({ path, status: found[index]!.status }));
      kept.push(...paths.flatMap(({ path, status }) => (status === 'changed' ? [path] : [])));
      const steps = paths
        .filter(({ status }) => status === 'same')
        .sort((a, b) => (a.path < b.path ? 1 : -1))
        .map(({ path }): Step => ({ kind: 'remove', path }));
      kept.push(...(await findAdded(folders, manifest)));
      await makeFolder(folders.staged);
      await switchOver(folders, { steps, state: [] });
    }
    for (const name of ['manifest', 'files.json', 'install.json']) await removeFile(join(folders.state, name));
    return { game: game.name, folder: folders.game, kept: kept.sort() };
  });
  const folders = foldersOf(resolve(options.folder));
  const kept = [...removal.kept];
  for (const name of await readdir(folders.state).catch(() => [])) {
    // What `repair` moved away is the player's.
    if (name === REPLACED) kept.push(`${STATE_FOLDER}/${REPLACED}`);
    else await rm(join(folders.state, name), { recursive: true, force: true });
  }
  await rmdir(folders.state).catch(() => {});
  await rmdir(folders.game).catch(() => {});
  return { ...removal, kept };
}

/**
 * What is installed in a folder; null if nothing is. A switch that was interrupted is finished first. While another process
 * downloads a new version, it is the old one, which can be started.
 */
export async function readInstalled(options: Options): Promise<{ install: Install; manifest: Manifest | null } | null> {
  const read = async (folders: InstallFolders) => {
    const current = await readInstall(folders);
    return current === null ? null : { install: current, manifest: await readInstalledManifest(folders) };
  };
  const folders = foldersOf(resolve(options.folder));
  const isWhole = (await statOf(folders.state)) !== null && !(await isSwitching(folders));
  return isWhole ? read(folders) : inFolder(options, read);
}

/** Remembers the program that the player chose to start. */
export function chooseProgram(options: Options & { readonly program: string | null }): Promise<void> {
  return inFolder(options, async (folders) => {
    await writeInstall(folders, { ...(await requireInstall(folders)), program: options.program });
  });
}

/** Runs `work` while no other process changes the folder, after an interrupted switch was finished. */
async function inFolder<T>(
  options: Options,
  work: (folders: InstallFolders) => Promise<T>,
  { creates = false } = {},
): Promise<T> {
  const folders = foldersOf(resolve(options.folder));
  const existed = (await statOf(folders.game)) !== null;
  if (!creates && (await statOf(folders.state)) === null) throw notInstalled(folders);
  try {
    await makeFolder(folders.state);
    return await withLock(join(folders.state, LOCK), async () => {
      await finishSwitch(folders);
      await clearOld(folders);
      return work(folders);
    });
  } catch (error) {
    options.signal?.throwIfAborted();
    throw explainFileError(error);
  } finally {
    // A folder in which nothing is installed is left as it was.
    await rmdir(folders.state).catch(() => {});
    if (!existed) await rmdir(folders.game).catch(() => {});
  }
}

type BringOptions = Options & {
  readonly replaces: boolean;
  readonly thorough: boolean;
  readonly changelog: readonly Release[];
};

/** Brings the folder to a build, whatever is in it now. */
async function bringTo(
  folders: InstallFolders,
  current: Install,
  offer: Offer,
  options: BringOptions,
): Promise<Result> {
  const start = performance.now();
  const signal = options.signal ?? new AbortController().signal;
  const transfer = new Transfer(options);
  const target = await openTarget(folders, current, offer, options, transfer, signal);
  const { manifest } = target;
  checkManifest(manifest);
  const old = await readInstalledManifest(folders);
  const times = options.thorough ? {} : await readFileTimes(folders);
  const found = old === null ? [] : await surveyAll(folders, old, times, options);
  const present = { manifest: old, found, ignoresCase: await ignoresCaseIn(folders) };
  const changes = await planChanges(folders, present, manifest, { replaces: options.replaces, signal });
  const staged = await stage({
    folders,
    changes,
    signal,
    fetchParts: (parts) => transfer.fetch(target.source, offer.size, parts, signal),
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
    manifest: packManifest(encodeManifest(manifest)),
  });
  options.onProgress?.({ phase: 'switching', done: 0, total: steps.all.length });
  await switchOver(folders, { steps: steps.all, state: NEXT_STATE });
  options.onProgress?.({ phase: 'switching', done: steps.all.length, total: steps.all.length });
  await target.cleanUp();
  return {
    game: current.game.name,
    folder: folders.game,
    from: current.build === null ? null : versionOf(current.build),
    to: versionOf(offer),
    downloadedBytes: transfer.downloadedBytes,
    reusedBytes: changes.reusedBytes,
    seconds: secondsSince(start),
    kept,
    replaced: replaced === null ? null : { folder: join(folders.state, replaced), paths: changes.replaced },
    changelog: options.changelog,
  };
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

function unchanged(folders: InstallFolders, current: Install, build: InstalledBuild, start: number): Result {
  return {
    game: current.game.name,
    folder: folders.game,
    from: versionOf(build),
    to: versionOf(build),
    downloadedBytes: 0,
    reusedBytes: 0,
    seconds: secondsSince(start),
    kept: [],
    replaced: null,
    changelog: [],
  };
}

/** The new version: what it consists of, and where its bytes come from. */
type Target = {
  readonly manifest: Manifest;
  readonly source: Source;
  readonly key: Install['key'];
  readonly isSigned: boolean;
  readonly cleanUp: () => Promise<void>;
};

async function openTarget(
  folders: InstallFolders,
  current: Install,
  offer: Offer,
  options: BringOptions,
  transfer: Transfer,
  signal: AbortSignal,
): Promise<Target> {
  const server = serverOf(current.server, options);
  const request = {
    fetch: server.options.fetch ?? fetch,
    headers: options.headers ?? {},
    signal,
    retries: transfer.retries,
  };
  const { uid } = current.game;
  const source = transfer.sourceOf(server.downloadUrl(uid, offer.fileUid), offer.size);
  const sent = await fetchManifest(server.manifestUrl(uid, offer.fileUid), request);
  if (sent !== null) {
    const { keyId, signature } = parseSignature(sent.signature);
    const keys = current.key?.keyId === keyId ? [] : await fetchKeys(server.keysUrl(), request);
    const key = followKeys(keys, keyId, current.key);
    const manifest = openManifest(sent.packed, signature, key, { gameUid: uid, ...offer });
    transfer.count(sent.packed.length);
    await removeSpools(folders, null);
    return { manifest, source, key, isSigned: true, cleanUp: async () => {} };
  }
  if (current.isSigned) throw untrusted(`The server has no signed list of the files of version ${offer.version}.`);
  const handles = new Handles();
  await removeSpools(folders, offer.fileUid);
  const spool = await Spool.open(join(folders.state, offer.fileUid), offer.size, handles);
  await checkSpace(folders.state, offer.size - spool.presentBytes);
  try {
    const parts = spool.parts(0);
    transfer.plan(parts.reduce((sum, { length }) => sum + length, 0));
    await transfer.fetch(source, offer.size, parts, signal);
  } finally {
    await handles.close();
  }
  const hash = await hashFile(spool.path, signal);
  if (hash?.toString('hex') !== offer.checksum) {
    await spool.remove();
    throw untrusted('The download isn’t what the server has described.');
  }
  const { buildId: build, fileUid: file, version, os, arch } = offer;
  const manifest = await readZip(spool.path, { game: uid, build, file, version, os, arch }, signal);
  return {
    manifest,
    source: localSource(spool.path),
    key: current.key,
    isSigned: false,
    cleanUp: () => spool.remove(),
  };
}

/** Removes the downloads of other versions that were given up. */
async function removeSpools(folders: InstallFolders, apartFrom: string | null): Promise<void> {
  for (const name of await readdir(folders.state))
    if (/\.(packed|have)$/.test(name) && (apartFrom === null || !name.startsWith(apartFrom)))
      await rm(join(folders.state, name), { force: true });
}

/** Refuses a version that can't be installed on this computer, or that has files where the updater has its own. */
function checkManifest({ entries }: Manifest): void {
  for (const { path } of entries) {
    const [first = ''] = path.normalize('NFKC').toLowerCase().split('/');
    // On Windows, files have a second, short name.
    if (first === STATE_FOLDER || first.startsWith(SHORT_NAME))
      throw untrusted(`The update has a file ${JSON.stringify(path)}, where the updater keeps its own.`);
  }
  const places = entries.map((entry) => ({ ...entry, target: entry.type === 'link' ? entry.target : '' }));
  const problem = findPlaceProblem(places, hostOs());
  if (problem !== null) throw untrusted(`The update can’t be installed on this system: ${problem}.`);
}

async function surveyAll(
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

/** Counts and reports what is downloaded. */
class Transfer {
  readonly retries: RetryPolicy;
  readonly #options: Options;
  readonly #throttle: Throttle;
  #planned = 0;
  #arrived = 0;
  #built = 0;
  #isFetching = false;
  downloadedBytes = 0;

  constructor(options: Options) {
    this.#options = options;
    this.retries = options.retries ?? PATIENT;
    this.#throttle = new Throttle(options.limitRate ?? Number.POSITIVE_INFINITY);
  }

  sourceOf(url: string, size: number): Source {
    const { headers = {}, fetch: own = fetch, stallMs = DEFAULT_STALL_MS } = this.#options;
    const onBytes = (count: number) => {
      this.#arrived += count;
      this.downloadedBytes += count;
      this.#report('downloading', this.#arrived, this.#planned);
    };
    return new ZipSource({ url, size, headers, fetch: own, throttle: this.#throttle, stallMs, onBytes });
  }

  async fetch(source: Source, size: number, parts: readonly Part[], signal: AbortSignal): Promise<void> {
    this.#isFetching = true;
    if (parts.length > 0) await download(source, parts, { size, signal, retries: this.retries });
    this.#isFetching = false;
  }

  plan(bytes: number): void {
    this.#planned += bytes;
    if (this.#planned > 0) this.#report('downloading', this.#arrived, this.#planned);
  }

  /** What an earlier attempt downloaded counts as done. */
  resumed(bytes: number): void {
    this.#planned += bytes;
    this.#arrived += bytes;
  }

  count(bytes: number): void {
    this.downloadedBytes += bytes;
  }

  built(bytes: number, { plan, wanted }: Changes): void {
    this.#built += bytes;
    const total = plan.files.reduce((sum, { entry }) => {
      const file = wanted.entries[entry]!;
      return sum + (file.type === 'file' ? file.size : 0);
    }, 0);
    // Small files are complete when they arrive.
    if (!this.#isFetching) this.#report('building', this.#built, total);
  }

  #report(phase: Phase, done: number, total: number): void {
    this.#options.onProgress?.({ phase, done: Math.min(done, total), total });
  }
}

function serverOf(server: string, { headers, fetch: own }: Options): GameServer {
  return new GameServer({
    server,
    ...(headers !== undefined && { headers }),
    ...(own !== undefined && { fetch: own }),
  });
}

function installedOf(current: Install, { buildId }: InstalledBuild) {
  const { game, channel, deviceUid, os, arch } = current;
  return { gameUid: game.uid, buildId, channel, deviceUid, os, arch };
}

function versionOf({ buildId, version }: Version): Version {
  return { buildId, version };
}

function secondsSince(start: number): number {
  return Math.round(performance.now() - start) / 1000;
}

async function requireInstall(folders: InstallFolders): Promise<Install> {
  const current = await readInstall(folders);
  if (current !== null) return current;
  throw notInstalled(folders);
}

function notInstalled({ game }: InstallFolders): UpdaterError {
  return new UpdaterError('folder', `No game is installed in ${game}.`, 'Name the folder of the game.');
}

function alreadyInstalled({ game }: InstallFolders, current: Install): UpdaterError {
  return new UpdaterError(
    'folder',
    `${current.game.name} is installed in ${game} already.`,
    'Update or repair it instead.',
  );
}

function notComplete({ game }: InstallFolders): UpdaterError {
  return new UpdaterError(
    'folder',
    `The installation in ${game} is not complete.`,
    'Install the game again into this folder.',
  );
}

function notOffered(
  name: string,
  channel: string,
  wanted: readonly Platform[],
  others: readonly Platform[],
): UpdaterError {
  const [first] = wanted;
  const platform = first === undefined ? 'this system' : `${first.os}/${first.arch}`;
  const names = [...new Set(others.map(({ os, arch }) => `${os}/${arch}`))].join(', ');
  const remedy = names === '' ? 'Choose another channel, or try again later.' : `It is offered for ${names}.`;
  return new UpdaterError('not-offered', `${name} is not offered on the channel ${channel} for ${platform}.`, remedy);
}
