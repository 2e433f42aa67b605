// Installs, updates, checks, repairs and removes a game in a folder. A launcher calls these functions; the command
// `chauffeur` does too.
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Manifest } from '@chauffeur/deltas/manifest';
import { bringTo, secondsSince } from './bring.ts';
import { UpdaterError } from './error.ts';
import type { SignedRequest } from './fetch-signed.ts';
import { isEmptyFolder, statOf } from './inside.ts';
import { inFolder, requireInstall } from './install-folder.ts';
import { type InstallOptions, type Options, type Result, serverOf, type Version, versionOf } from './options.ts';
import { type Platform, platformsOf } from './platform.ts';
import { PATIENT } from './retries.ts';
import type { GameServer, Offer, Release } from './server.ts';
import {
  type Install,
  type InstalledBuild,
  newDeviceUid,
  readInstall,
  readInstalledManifest,
  writeInstall,
} from './state.ts';
import { type CheckedOffer, checkStatement } from './statement.ts';
import { findAdded, surveyAll } from './survey.ts';
import { foldersOf, type InstallFolders, isSwitching, STATE_FOLDER } from './switch-over.ts';

export type { InstallOptions, Options, Progress, Result } from './options.ts';

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
        ...(begun?.game.uid === game.uid && begun.serials !== undefined && { serials: begun.serials }),
        build: null,
        program: null,
      };
      await writeInstall(folders, next);
      const changelog = found.release === null ? [] : [found.release];
      const first = await firstOffer(server, next, offer, options);
      return bringTo(folders, first.current, first.offer, { ...options, replaces: false, thorough: false, changelog });
    },
    { creates: true },
  );
}

function requestOf(server: GameServer, { headers = {}, signal, retries = PATIENT }: Options): SignedRequest {
  return {
    ...{ fetch: server.options.fetch ?? fetch, headers, retries },
    signal: signal ?? new AbortController().signal,
  };
}

/** What a channel offers a device that has no build yet, as the server has signed it, if it does. */
async function firstOffer(server: GameServer, current: Install, offer: Offer, options: Options): Promise<CheckedOffer> {
  const { game, channel, deviceUid, os, arch } = current;
  const device = { gameUid: game.uid, channel, deviceUid, os, arch };
  const signed = await server.findSignedOffer(device, options.signal);
  return checkStatement(current, signed ?? offer, server, requestOf(server, options));
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
      const first = await firstOffer(server, current, offer, options);
      return bringTo(folders, first.current, first.offer, {
        ...options,
        ...{ replaces: false, thorough: false, changelog: [] },
      });
    }
    const answer = await server.findUpdate(installedOf(current, current.build), options.signal);
    if (answer.offer === null)
      throw notOffered(current.game.name, current.channel, [{ os: current.os, arch: current.arch }], []);
    const checked = await checkStatement(current, answer.offer, server, requestOf(server, options));
    // Kept also without an update, so that nothing older is believed later. The channel changes with the version.
    const next = answer.isUpdate ? { ...checked.current, channel: before.channel } : checked.current;
    if (!isDeepStrictEqual(next, before)) await writeInstall(folders, next);
    if (!answer.isUpdate) return unchanged(folders, checked.current, current.build, start);
    return bringTo(folders, checked.current, checked.offer, {
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
  if (answer.offer !== null) await checkStatement(current, answer.offer, server, requestOf(server, options));
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
    const { build, game, os, arch, channel } = current;
    const how = { ...options, replaces: true, thorough: true, changelog: [] };
    if (build !== null) return bringTo(folders, current, { ...build, os, arch }, how);
    const server = serverOf(current.server, options);
    const { offer } = await server.findOffer(game.uid, channel, [{ os, arch }], options.signal);
    if (offer === null) throw notOffered(game.name, channel, [{ os, arch }], []);
    const first = await firstOffer(server, current, offer, options);
    return bringTo(folders, first.current, first.offer, how);
  });
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

function installedOf(current: Install, { buildId }: InstalledBuild) {
  const { game, channel, deviceUid, os, arch } = current;
  return { gameUid: game.uid, buildId, channel, deviceUid, os, arch };
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
