// Starts a real clamd for tests, whose only signature is that of the EICAR test file.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { type ClamdScanner, createClamdScanner } from '../../src/kernel/scanner/clamd.ts';

/** The EICAR test file, in two halves so that virus scanners do not report this source file. */
export const EICAR = Buffer.from('X5O!P%@AP[4\\PZX54(P^)7CC)7}$' + 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*');
/** The name that clamd reports; the suffix marks signatures from unsigned databases. */
export const EICAR_SIGNATURE = 'Eicar-Test.UNOFFICIAL';

/** The number of bytes that this clamd accepts in one stream. */
export const CLAMD_STREAM_LIMIT = 25 * 1024 * 1024;

export type RunningClamd = {
  /** The value of CHAUFFEUR_CLAMD. */
  address: string;
  /** Kills it, as a crash would. */
  kill(): Promise<void>;
  stop(): Promise<void>;
};

/** The reason to skip a test if `startClamd` returns null. */
export const NO_CLAMD = 'skipped: clamd not found';
const START_MS = 20_000;

/** Returns a scanner that uses this clamd; without clamd, skips the test. */
export function openScanner(
  t: TestContext,
  clamd: RunningClamd | null,
  streamLimit = CLAMD_STREAM_LIMIT,
): ClamdScanner | undefined {
  if (clamd !== null) return createClamdScanner({ address: clamd.address, streamLimit });
  t.skip(NO_CLAMD);
  return undefined;
}

/** Starts clamd in a new folder. Returns null if it is not installed; with CI=true, throws instead. */
export async function startClamd(): Promise<RunningClamd | null> {
  const program = await findProgram('clamd');
  if (program === null) {
    if (process.env.CI === 'true') throw new Error('clamd not found; install clamav-daemon');
    return null;
  }
  const folder = await mkdtemp(join(tmpdir(), 'chauffeur-clamd-'));
  await mkdir(join(folder, 'db'));
  await writeFile(join(folder, 'db', 'test.ndb'), `Eicar-Test:0:*:${EICAR.toString('hex')}\n`);
  await writeFile(join(folder, 'clamd.conf'), configure(folder));
  const daemon = spawn(program, ['--config-file', join(folder, 'clamd.conf')], { stdio: 'ignore' });
  // However the tests end, clamd must not keep running.
  const killNow = () => daemon.kill('SIGKILL');
  process.once('exit', killNow);
  daemon.once('exit', () => process.removeListener('exit', killNow));
  const end = async (signal: NodeJS.Signals) => {
    if (daemon.exitCode === null && daemon.signalCode === null) {
      daemon.kill(signal);
      await once(daemon, 'exit');
    }
  };
  const stop = async () => {
    await end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  };
  const address = `unix:${join(folder, 'socket')}`;
  try {
    await untilReady(daemon, address);
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, kill: () => end('SIGKILL'), stop };
}

function configure(folder: string): string {
  const lines = [
    'Foreground yes',
    `DatabaseDirectory ${join(folder, 'db')}`,
    `LocalSocket ${join(folder, 'socket')}`,
    `TemporaryDirectory ${folder}`,
    'LocalSocketMode 600',
    `StreamMaxLength ${CLAMD_STREAM_LIMIT}`,
    'AlertExceedsMax yes',
    'AlertEncrypted yes',
    'SelfCheck 0',
    // If started as root, clamd would otherwise switch to the user clamav, who cannot read the folder.
    ...(process.getuid?.() === 0 ? ['User root'] : []),
  ];
  return `${lines.join('\n')}\n`;
}

async function untilReady(daemon: ChildProcess, address: string): Promise<void> {
  const scanner = createClamdScanner({ address, streamLimit: CLAMD_STREAM_LIMIT });
  const deadline = Date.now() + START_MS;
  for (;;) {
    try {
      return await scanner.ping();
    } catch (error) {
      if (daemon.exitCode !== null) throw new Error(`clamd ended with code ${daemon.exitCode}`, { cause: error });
      if (Date.now() > deadline) throw new Error('clamd was not ready in time', { cause: error });
      await setTimeout(20);
    }
  }
}

async function findProgram(name: string): Promise<string | null> {
  for (const folder of [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']) {
    const path = join(folder, name);
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  return null;
}
