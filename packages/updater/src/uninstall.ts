// Removes a game, and leaves what is the player's.
import { readdir, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { REPLACED } from './bring.ts';
import { makeFolder, removeFile } from './durable.ts';
import { inFolder, requireInstall } from './install-folder.ts';
import type { Options } from './options.ts';
import { readFileTimes, readInstalledManifest } from './state.ts';
import { findAdded, surveyAll } from './survey.ts';
import { foldersOf, STATE_FOLDER, type Step, switchOver } from './switch-over.ts';

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
