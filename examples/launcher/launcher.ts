// A small launcher for one game, in a terminal: it installs the game, or updates it and shows what is new, and starts it.
// Run it with Node 24.2 or newer: `node launcher.ts https://games.example.com/g/night-owls`.
import { once } from 'node:events';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  checkForUpdate,
  install,
  launch,
  type Options,
  type Progress,
  parseAddress,
  programOf,
  type Result,
  readInstalled,
  UpdaterError,
  update,
} from '@chauffeur/updater';

const BAR_WIDTH = 30;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Draws a bar, which the next one replaces. */
function onProgress({ phase, done, total }: Progress): void {
  if (total === 0) return;
  const filled = Math.round((BAR_WIDTH * done) / total);
  process.stderr.write(`\r\x1b[K${phase.padEnd(12)}${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`);
}

/** Brings the game up to date. A game that is installed starts without the server too, in the version that it has. */
async function bringUpToDate(address: { server: string; game: string }, options: Options): Promise<void> {
  const installed = await readInstalled(options).catch((error: unknown) => {
    if (error instanceof UpdaterError && error.code === 'folder') return null;
    throw error;
  });
  if (installed?.install.build == null) {
    showResult('Installed', await install({ ...options, address }));
    return;
  }
  try {
    const { available, withdrawn } = await checkForUpdate(options);
    if (withdrawn !== null) print('The installed version was withdrawn.');
    if (available !== null) showResult('Updated to', await update(options));
  } catch (error) {
    print(`Starting without an update: ${(error as Error).message}`);
  }
}

function showResult(what: string, { to, changelog, kept }: Result): void {
  process.stderr.write('\r\x1b[K');
  print(`${what} ${to.version}.`);
  for (const { version, changes } of changelog) {
    print(`\nWhat is new in ${version}:`);
    for (const { title } of changes) print(`  - ${title}`);
  }
  if (kept.length > 0) print(`\nYour own files stay: ${kept.join(', ')}`);
}

async function main(text: string, ...args: string[]): Promise<number> {
  const parsed = parseAddress(text);
  if (parsed?.server == null)
    throw new Error('Name the address of a game, such as https://games.example.com/g/night-owls.');
  const address = { server: parsed.server, game: parsed.game };
  const folder = join(homedir(), 'Games', parsed.game);
  // Ctrl-C pauses: the next start goes on with what has arrived.
  const stop = new AbortController();
  const pause = () => stop.abort(new Error('Paused.'));
  process.once('SIGINT', pause);
  await bringUpToDate(address, { folder, signal: stop.signal, onProgress });
  process.off('SIGINT', pause);

  const installed = await readInstalled({ folder });
  if (installed?.manifest == null) throw new Error('The game is not complete. Start the launcher again.');
  const program = programOf(installed.install, installed.manifest);
  const game = await launch({ folder, install: installed.install, program, args, env: process.env });
  const [code] = (await once(game, 'exit')) as [number | null];
  return code ?? 1;
}

const [address = '', ...args] = process.argv.slice(2);
main(address, ...args).then(
  (code) => {
    process.exitCode = code;
  },
  (error: Error & { remedy?: string }) => {
    process.stderr.write(`\n${error.message}${error.remedy === undefined ? '' : `\n${error.remedy}`}\n`);
    process.exitCode = 1;
  },
);
