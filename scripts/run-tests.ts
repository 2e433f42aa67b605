// Runs tests: `npm test` and its variants with the name of a run, `npm run test:one` with files, and
// `npm run test:feature` with features. Other options go to `node --test`.
import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTestsOf } from './feature-tests.ts';
import { checkSuites, dealOut, orderFiles, ROOT, RUNS, type Run, type Setup, SUITES, type Suite } from './suites.ts';

const SETUPS: Readonly<Record<Setup, readonly string[]>> = {
  nothing: [],
  database: ['--test-global-setup=packages/server/test/setup/global.ts'],
  programs: ['--test-global-setup=e2e/setup/global.ts'],
};
const REPORTERS = [
  ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
  ...['--test-reporter=./scripts/slowest-tests.ts', '--test-reporter-destination=stderr'],
];
/** A run that takes longer, in milliseconds, is ended: Node then says which tests were not done. */
const LONGEST_RUN = 25 * 60_000;
/** On Linux, a file system in memory. Containers often limit it to 64 MB. */
const MEMORY = '/dev/shm';
/** The files of all tests take less, those of the databases included. */
const NEEDED_MEMORY = 6 * 1024 ** 3;
/** The modules that load the files of each process. */
const ENTRIES = join(ROOT, 'node_modules/.cache/suites');

async function main([command = '', ...args]: readonly string[]): Promise<number> {
  const run = RUNS[command];
  if (run !== undefined) return runSuites(run, args);
  const options = args.filter((arg) => arg.startsWith('-'));
  const names = args.filter((arg) => !arg.startsWith('-'));
  if (command === 'one') {
    const entries = await writeEntries('one', { files: names });
    return runNode({ setup: 'database', concurrency: 1, timeoutMinutes: 5 }, [...options, ...entries]);
  }
  if (command !== 'feature') throw new Error(`Unknown run "${command}": one of ${Object.keys(RUNS).join(', ')}`);
  const files = (await Promise.all(names.map(findTestsOf))).flat();
  const entries = await writeEntries('feature', { files, processes: Math.min(files.length, 2) });
  return runNode({ setup: 'database', concurrency: 2, timeoutMinutes: 5 }, [...options, ...entries]);
}

async function runSuites(run: Run, options: readonly string[]): Promise<number> {
  await checkSuites();
  // Node starts files in alphabetical order.
  const entries = await Promise.all(
    run.suites.map((name, index) => writeEntries(`${index + 1}-${name}`, SUITES[name])),
  );
  return runNode(run, [...options, ...entries.flat()]);
}

/** Returns a file for each process of the suite. */
async function writeEntries(name: string, suite: Suite): Promise<string[]> {
  const { processes, first } = suite;
  const paths = await orderFiles(suite);
  const shares = processes === undefined ? paths.map((path) => [path]) : await dealOut(paths, processes);
  await mkdir(ENTRIES, { recursive: true });
  return Promise.all(
    shares.map(async (share, index) => {
      const place = String(index + 1).padStart(2, '0');
      const entry = join(ENTRIES, `${name}-${place}-of-${shares.length}.mjs`);
      const lines = [
        ...(first === undefined ? [] : [`import ${JSON.stringify(join(ROOT, first))};`]),
        `import { loadFiles } from ${JSON.stringify(join(ROOT, 'scripts/load-files.ts'))};`,
        `await loadFiles(${JSON.stringify(share, null, 2)});`,
      ];
      await writeFile(entry, `${lines.join('\n')}\n`);
      return entry;
    }),
  );
}

/** Runs files with `node --test`, and passes it the options among them. Returns its exit code. */
async function runNode(
  { setup, concurrency, timeoutMinutes }: Omit<Run, 'suites'>,
  args: readonly string[],
): Promise<number> {
  if (args.every((arg) => arg.startsWith('-'))) throw new Error('No tests: name at least one file or feature.');
  const flags = [`--test-concurrency=${concurrency}`, `--test-timeout=${timeoutMinutes * 60_000}`];
  const folder = await makeTemporaryFolder();
  const child = spawn(process.execPath, ['--test', ...flags, ...SETUPS[setup], ...REPORTERS, ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    timeout: LONGEST_RUN,
    env: { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/tests'), ...process.env, TMPDIR: folder },
  });
  // A terminal sends Ctrl-C to both, and the tests clean up first.
  process.on('SIGINT', () => undefined).on('SIGTERM', () => child.kill('SIGTERM'));
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.on('error', reject).on('exit', (code) => resolve(code ?? 1));
  return promise.finally(() => rm(folder, { recursive: true, force: true }));
}

/**
 * The folder for the files of all tests. It is in memory if there is plenty: tests wait for a disk about as long as they
 * take otherwise, and it takes a sixth of their processor time, mostly for the hundreds of files of each database.
 */
async function makeTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join((await freeInMemory()) < NEEDED_MEMORY ? tmpdir() : MEMORY, 'tests-'));
  // PostgreSQL and ClamAV run under other accounts.
  await chmod(folder, 0o755);
  return folder;
}

/** The bytes that files in memory can have; 0 if they can't be programs or devices, of which some tests make both. */
async function freeInMemory(): Promise<number> {
  const mounts = (await readFile('/proc/mounts', 'utf8').catch(() => '')).split('\n').map((line) => line.split(' '));
  const [, , , options = ''] = mounts.findLast(([, path]) => path === MEMORY) ?? [];
  if (options === '' || /\bno(?:exec|dev|suid)\b/.test(options)) return 0;
  const { bavail, bsize } = await statfs(MEMORY);
  return Math.min(bavail * bsize, process.availableMemory());
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
