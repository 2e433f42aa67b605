// Finds the program of an installed game, and starts it.
// cspell:ignore unins
import { type ChildProcess, spawn } from 'node:child_process';
import type { Os } from '@chauffeur/contract/platform-names';
import type { Manifest } from '@chauffeur/deltas/manifest';
import { isExecutable } from './changes.ts';
import { UpdaterError } from './error.ts';
import { placeOf, statOf } from './inside.ts';
import type { Install } from './state.ts';

/** Programs that come with engines and aren't the game. */
const HELPERS = /(crash|unins|setup|vc_?re|dotnet|prereq|helper|report|python\d*|ffmpeg)/i;
const LIBRARIES = /\.(so(\.\d+)*|dylib|dll)$/i;

/** The paths that may be the game's program, best first: paths with the fewest folders in them. */
export function findPrograms({ entries }: Manifest, os: Os): string[] {
  const depthOf = (path: string) => path.split('/').length;
  const isProgram = (path: string, mode: number): boolean => {
    if (os === 'windows') return /\.exe$/i.test(path);
    if (os === 'macos') return /^([^/]+\/)?[^/]+\.app$/.test(path);
    return isExecutable(mode) && !LIBRARIES.test(path);
  };
  const found = new Set<string>();
  for (const entry of entries) {
    if (entry.type === 'link') continue;
    // Not every zip lists its folders.
    const path = os === 'macos' ? (/^([^/]+\/)?[^/]+\.app(?=\/|$)/.exec(entry.path)?.[0] ?? '') : entry.path;
    if (os !== 'macos' && entry.type !== 'file') continue;
    if (path !== '' && isProgram(path, entry.mode) && !HELPERS.test(path.split('/').at(-1)!)) found.add(path);
  }
  const programs = [...found];
  const least = Math.min(...programs.map(depthOf));
  return programs.filter((path) => depthOf(path) === least).sort();
}

/**
 * The program to start: `chosen`, or else what the player chose before, if this version still has it, or else the only
 * candidate. Throws UpdaterError.
 */
export function programOf(install: Install, manifest: Manifest, chosen: string | null = null): string {
  if (chosen !== null) {
    const path = chosen.replaceAll('\\', '/').replace(/\/+$/, '');
    if (hasProgram(manifest, path, install.os)) return path;
    throw new UpdaterError(
      'folder',
      `The game has no file ${chosen}.`,
      'Name a program of the game, relative to its folder.',
    );
  }
  if (install.program !== null && hasProgram(manifest, install.program, install.os)) return install.program;
  const programs = findPrograms(manifest, install.os);
  if (programs.length === 1) return programs[0]!;
  if (programs.length === 0)
    throw new UpdaterError('folder', 'No program was found in the game.', 'Name the program to start.');
  throw new UpdaterError(
    'folder',
    `The game has several programs: ${programs.slice(0, 5).join(', ')}.`,
    'Name the one to start. It is remembered.',
  );
}

/** Whether there is such a file or, on macOS, such an app, which is a folder. */
function hasProgram({ entries }: Manifest, path: string, os: Os): boolean {
  return entries.some(
    (entry) => (entry.path === path && entry.type === 'file') || (os === 'macos' && entry.path.startsWith(`${path}/`)),
  );
}

export type Launch = {
  /** The folder of the game. */
  readonly folder: string;
  readonly install: Install;
  /** A path of the manifest. */
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the game prints goes to this file descriptor; to stdout by default. */
  readonly output?: number;
};

/**
 * Starts the program in the folder of the game. Its environment has the ids that the game's events should have, so that a
 * rollout is measured on the devices that it was offered to. Rejects with UpdaterError if the program is missing.
 */
export async function launch({ folder, install, program, args, env, output = 1 }: Launch): Promise<ChildProcess> {
  const place = await placeOf(folder, program);
  const stats = await statOf(place);
  if (stats === null || stats.isSymbolicLink())
    throw new UpdaterError('folder', `${place} is missing.`, 'Repair the game.');
  const ids = { CHAUFFEUR_DEVICE_UID: install.deviceUid, CHAUFFEUR_BUILD_ID: install.build?.buildId };
  const isApp = stats.isDirectory();
  const [command, all] = isApp ? ['open', ['-W', place, '--args', ...args]] : [place, args];
  const child = spawn(command, all, { cwd: folder, env: { ...env, ...ids }, stdio: [0, output, 2] });
  const remedy = 'Name another program of the game, or repair it.';
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child));
    child.once('error', (cause) =>
      reject(new UpdaterError('folder', `${place} can’t be started: ${cause.message}.`, remedy, { cause })),
    );
  });
}
