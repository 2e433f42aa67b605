// Measures the stackwalker with symbols as text and with compiled symbols, for symbol files of 8 MB and 200 MB.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { processMinidump } from '@chauffeur/minidump/process';
import { SymbolDirectory } from '@chauffeur/minidump/symbols/directory';
import { medianOf, note, print, printFigure } from './figures.ts';
import { writeGameDump } from './game-dump.ts';
import type { WalkBatch } from './stackwalk.thread.ts';
import { SYMBOL_MODULE, writeSymbolText } from './symbol-text.ts';

const MB = 1e6;
const COMMAND = join(import.meta.dirname, '../packages/minidump/src/main.ts');
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
const COLD_RUNS = 3;
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

/** Measures the whole command as a separate process. Without a cache, it compiles the text before it walks. */
function measureCold({ title, folder, symbols, dump }: Setup): number {
  const runs = Array.from({ length: COLD_RUNS }, (_, run) => {
    const cache = join(folder, `cold-${run}`);
    return millisecondsOf(() => runCommand([dump, '--symbols', symbols, '--cache', cache]));
  });
  const warm = medianOf(
    Array.from({ length: 5 }, () =>
      millisecondsOf(() => runCommand([dump, '--symbols', symbols, '--cache', join(folder, 'cold-0')])),
    ),
  );
  print(
    `${title}: the command takes ${medianOf(runs).toFixed(0)} ms from the text, ${warm.toFixed(0)} ms from the cache`,
  );
  return medianOf(runs);
}

function runCommand(args: readonly string[]): void {
  execFileSync(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
}

function measureNative({ title, symbols, dump }: Setup): void {
  for (const { name, program, args } of NATIVE) {
    const path = findProgram(program);
    if (path === undefined) {
      note(`${name} is not installed`);
      continue;
    }
    const run = () => execFileSync(path, args(dump, symbols), { stdio: 'ignore' });
    run();
    const runs = Array.from({ length: COLD_RUNS }, () => millisecondsOf(run));
    print(`${title}: ${name} takes ${medianOf(runs).toFixed(0)} ms from the text`);
  }
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
  for (const setup of setups) {
    measureCold(setup);
    measureNative(setup);
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
