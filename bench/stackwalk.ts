// Measures the stackwalker with symbols as text and with compiled symbols, for symbol files of 8 MB and 200 MB, and the
// start of its command.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { processMinidump } from '@chauffeur/minidump/process';
import { SymbolDirectory } from '@chauffeur/minidump/symbols/directory';
import { bundlePackage } from '../scripts/release/bundle-package.ts';
import { medianOf, note, print, printFigure } from './figures.ts';
import { writeGameDump } from './game-dump.ts';
import { processorTime } from './processor-time.ts';
import type { WalkBatch } from './stackwalk.thread.ts';
import { SYMBOL_MODULE, writeSymbolText } from './symbol-text.ts';

const MB = 1e6;
const PACKAGE = join(import.meta.dirname, '../packages/minidump');
const COMMAND = join(PACKAGE, 'bin/minidump-stackwalk.cjs');
/** Reference stackwalkers, which are measured if they are in the PATH. */
const NATIVE = [
  { name: 'Breakpad', program: 'minidump_stackwalk', args: (dump: string, symbols: string) => [dump, symbols] },
  {
    name: 'rust-minidump',
    program: 'minidump-stackwalk',
    args: (dump: string, symbols: string) => ['--symbols-path', symbols, dump],
  },
] as const;

const WARM_RUNS = 60;
/** How many rounds the small and the large file have. */
const COMMAND_ROUNDS = [15, 3];
const START_RUNS = 5;
const BATCH = 1000;

type Setup = { readonly title: string; readonly folder: string; readonly symbols: string; readonly dump: string };

/** Writes a symbol file of `megabytes`, and a dump of its program. */
function setUp(folder: string, megabytes: number): Setup {
  const title = `${megabytes} MB`;
  const symbols = join(folder, title, 'symbols');
  const place = join(symbols, SYMBOL_MODULE.debugFile, SYMBOL_MODULE.debugId);
  mkdirSync(place, { recursive: true });
  const functions = writeSymbolText(join(place, `${SYMBOL_MODULE.debugFile}.sym`), megabytes * MB);
  const dump = join(folder, title, 'game.dmp');
  writeFileSync(dump, writeGameDump(functions));
  return { title, folder: join(folder, title), symbols, dump };
}

function millisecondsOf(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** The time for the SHA-256 of 8 MiB on this machine, which the walks are compared with. */
function measureYardstick(): number {
  const data = Buffer.alloc(8 << 20, 7);
  return medianOf(Array.from({ length: 9 }, () => millisecondsOf(() => createHash('sha256').update(data).digest())));
}

/** Measures the start of the command, in turns with a Node that does nothing. */
function measureStart(): void {
  const [nothing, help]: [number[], number[]] = [[], []];
  for (let run = 0; run < START_RUNS; run++) {
    nothing.push(processorTime('"$NODE" -e 0'));
    help.push(processorTime(`"$NODE" "${COMMAND}" --help`));
  }
  note(`node -e 0: ${medianOf(nothing).toFixed(0)} ms, minidump-stackwalk --help: ${medianOf(help).toFixed(0)} ms`);
  printFigure('minidump-stackwalk --help / node -e 0', medianOf(help) / medianOf(nothing), { below: 2 });
}

/**
 * Measures the whole command as a separate process: without its cache, when it compiles the text before it walks, and
 * with it. Native stackwalkers, which read the text each time, take turns with it.
 */
function measureCommand({ title, folder, symbols, dump }: Setup, rounds: number): void {
  const walk = (cache: string) => runCommand([dump, '--symbols', symbols, '--cache', join(folder, cache)]);
  const fromText = measured('the command from the text', (round) => walk(`cold-${round}`));
  const fromCache = measured('the command from the cache', () => walk('cold-0'));
  const native = findNative().map(({ name, path, args }) =>
    measured(name, () => execFileSync(path, args(dump, symbols), { stdio: 'ignore' })),
  );
  const all = [fromText, fromCache, ...native];
  // The first round only fills the caches.
  for (let round = 0; round <= rounds; round++) {
    for (const { run, times } of all) {
      const time = millisecondsOf(() => run(round));
      if (round > 0) times.push(time);
    }
    if (round > 0) rmSync(join(folder, `cold-${round}`), { recursive: true });
  }
  for (const { name, times } of all) print(`${title}: ${name} takes ${medianOf(times).toFixed(0)} ms`);
  const rust = native.find(({ name }) => name === 'rust-minidump');
  if (rust === undefined) return;
  const ratioOf = ({ times }: typeof fromCache) => medianOf(times.map((time, round) => time / rust.times[round]!));
  printFigure(`${title}: ${fromCache.name} / rust-minidump`, ratioOf(fromCache), { below: 2 });
  print(`${title}: ${fromText.name} / rust-minidump = ${ratioOf(fromText).toFixed(2)}`);
}

function measured(name: string, run: (round: number) => void) {
  return { name, run, times: [] as number[] };
}

function runCommand(args: readonly string[]): void {
  execFileSync(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
}

function findNative() {
  return NATIVE.flatMap(({ name, program, args }) => {
    const path = findProgram(program);
    if (path === undefined) note(`${name} is not installed`);
    return path === undefined ? [] : [{ name, path, args }];
  });
}

/** Searches the PATH without the commands of packages, because ours has the same name. */
function findProgram(program: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

/** Measures walks with compiled symbols, each with a new symbol directory that has no open files. */
function measureWarm({ folder, symbols, dump }: Setup): number {
  const file = readFileSync(dump);
  const walk = () => {
    const source = new SymbolDirectory([symbols], { cacheFolder: join(folder, 'cold-0') });
    const report = processMinidump(file, { symbols: source });
    source.close();
    return report;
  };
  const { threads } = walk();
  const frames = threads.flatMap((thread) => thread.frames);
  if (frames.some((frame) => frame.function === null)) throw new Error('a frame of the benchmark has no name');
  note(`${frames.length} frames in ${threads.length} threads`);
  return medianOf(Array.from({ length: WARM_RUNS }, () => millisecondsOf(walk)));
}

/** Walks `BATCH` dumps on some threads. Returns dumps per second, without the time to start the threads. */
async function measureBatch({ folder, symbols, dump }: Setup, threads: number): Promise<number> {
  const batch: WalkBatch = { dump, symbols, cacheFolder: join(folder, 'cold-0'), count: BATCH / threads };
  const workers = await Promise.all(
    Array.from({ length: threads }, async () => {
      const worker = new Worker(new URL('./stackwalk.thread.ts', import.meta.url), { workerData: batch });
      await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
      return worker;
    }),
  );
  const start = performance.now();
  await Promise.all(
    workers.map(async (worker) => {
      worker.postMessage('go');
      await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
      await worker.terminate();
    }),
  );
  return (BATCH / (performance.now() - start)) * 1000;
}

const folder = mkdtempSync(join(tmpdir(), 'chauffeur-bench-'));
try {
  const yardstick = measureYardstick();
  print(`yardstick: SHA-256 of 8 MiB takes ${yardstick.toFixed(1)} ms`);
  const setups = [setUp(folder, 8), setUp(folder, 200)];
  await bundlePackage(PACKAGE);
  measureStart();
  for (const [index, setup] of setups.entries()) {
    measureCommand(setup, COMMAND_ROUNDS[index]!);
    const warm = measureWarm(setup);
    printFigure(`${setup.title}: warm walk`, warm, { below: 5 }, { unit: ' ms' });
    print(`${setup.title}: warm walk / yardstick = ${(warm / yardstick).toFixed(2)}`);
  }
  const large = setups[1]!;
  printFigure('dumps a second on one thread', await measureBatch(large, 1), { min: 400 }, { digits: 0 });
  print(`dumps a second on two threads = ${(await measureBatch(large, 2)).toFixed(0)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
