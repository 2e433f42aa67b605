// Measures how symbol files of 8 MB and 200 MB are compiled, and lookups in the compiled files. `--runs 5`.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openSymbolCache } from '@chauffeur/minidump/symbols/cache/cache';
import { FileReader } from '@chauffeur/minidump/symbols/cache/range-reader';
import { compileSymbolFile } from '@chauffeur/minidump/symbols/compile-file';
import { medianOf, note, print, printFigure } from './figures.ts';
import { writeSymbolText } from './symbol-text.ts';

const MB = 1e6;
const CHUNK = 1 << 18;
const LINE_FEED = 0x0a;
/** Lookups for one dump: the frames of a few threads. */
const LOOKUPS = 50;
const WARM_RUNS = 300;

/** Milliseconds of elapsed time and of CPU time, including kernel time. CPU time depends less on other load. */
type Time = { readonly clock: number; readonly cpu: number };

/** Measured in a separate process: compiling a file, counting its lines, and the maximum resident memory. */
type Compile = { readonly compile: Time; readonly count: Time; readonly peakBytes: number };

type SymbolFile = {
  readonly title: string;
  readonly path: string;
  readonly cache: string;
  readonly functions: readonly number[];
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '5' } },
});
const [path, cache] = positionals;
if (path !== undefined && cache !== undefined) process.stdout.write(JSON.stringify(compileOnce(path, cache)));
else measureAll(Number(values.runs));

function measureAll(runs: number): void {
  const folder = mkdtempSync(join(tmpdir(), 'chauffeur-bench-'));
  try {
    const [small, large] = [8, 200].map((megabytes) => writeFile(folder, megabytes)) as [SymbolFile, SymbolFile];
    measureCompile(small, runs);
    const compiled = measureCompile(large, runs);
    printFigure('cold compile of 200 MB', compiled.clockMs, { below: 2000 }, { unit: ' ms', digits: 0 });
    printFigure('compile / counting lines', compiled.ratio, { below: 8 });
    printFigure(
      'maximum memory of the process',
      compiled.peakBytes / 2 ** 20,
      { below: 300 },
      { unit: ' MiB', digits: 0 },
    );
    const [smallMs, largeMs] = [measureWarm(small), measureWarm(large)];
    printFigure('warm lookups, 8 MB', smallMs, { below: 2 }, { unit: ' ms' });
    printFigure('warm lookups, 200 MB', largeMs, { below: 2 }, { unit: ' ms' });
    printFigure('200 MB / 8 MB', largeMs / smallMs, { below: 3 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeFile(folder: string, megabytes: number): SymbolFile {
  const [title, file, compiled] = [
    `${megabytes} MB`,
    join(folder, `${megabytes}.sym`),
    join(folder, `${megabytes}.cache`),
  ];
  return { title, path: file, cache: compiled, functions: writeSymbolText(file, megabytes * MB) };
}

/** Runs processes that compile once each, like a cold start. Returns medians, and the maximum of the memory. */
function measureCompile(file: SymbolFile, runs: number): { clockMs: number; ratio: number; peakBytes: number } {
  const all = Array.from({ length: runs }, (): Compile => {
    const output = execFileSync(process.execPath, [import.meta.filename, file.path, file.cache]);
    const run = JSON.parse(output.toString()) as Compile;
    note(`${file.title}: compiled in ${format(run.compile)}, lines counted in ${format(run.count)}`);
    return run;
  });
  const clockMs = medianOf(all.map(({ compile }) => compile.clock));
  const size = statSync(file.path).size / MB;
  const cached = statSync(file.cache).size / MB;
  print(
    `${size.toFixed(0)} MB of text compile at ${((size / clockMs) * 1000).toFixed(0)} MB/s into ${cached.toFixed(1)} MB`,
  );
  return {
    clockMs,
    ratio: medianOf(all.map(({ compile, count }) => compile.cpu / count.cpu)),
    peakBytes: Math.max(...all.map(({ peakBytes }) => peakBytes)),
  };
}

function compileOnce(from: string, to: string): Compile {
  const compile = timeOf(() => compileSymbolFile(from, to));
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  return { compile, peakBytes, count: timeOf(() => countLines(from)) };
}

/** The yardstick: reads the same bytes and finds the end of each line, as every parser of the text has to. */
function countLines(from: string): number {
  const input = openSync(from, 'r');
  const chunk = Buffer.alloc(CHUNK);
  let lines = 0;
  for (let count = readSync(input, chunk); count > 0; count = readSync(input, chunk)) {
    const read = chunk.subarray(0, count);
    for (let at = read.indexOf(LINE_FEED); at >= 0; at = read.indexOf(LINE_FEED, at + 1)) lines++;
  }
  closeSync(input);
  return lines;
}

/**
 * Opens the compiled file, looks up functions all over the module, and closes it. Returns milliseconds of elapsed time.
 */
function measureWarm({ cache: file, functions }: SymbolFile): number {
  const lookUp = (run: number) => {
    const symbols = openSymbolCache(new FileReader(file));
    for (let index = 0; index < LOOKUPS; index++) {
      const offset = functions[(run * 7 + index * 19) % functions.length]! + 60;
      if (symbols.placeAt(offset)?.line === undefined) throw new Error('a function of the benchmark has no line');
      symbols.cfiAt(offset);
      symbols.stackWinAt(offset);
    }
    symbols.close();
  };
  return medianOf(Array.from({ length: WARM_RUNS }, (_, run) => timeOf(() => lookUp(run)).clock));
}

function timeOf(work: () => unknown): Time {
  const [clock, cpu] = [performance.now(), process.cpuUsage()];
  work();
  const { user, system } = process.cpuUsage(cpu);
  return { clock: performance.now() - clock, cpu: (user + system) / 1000 };
}

function format({ clock, cpu }: Time): string {
  return `${clock.toFixed(0)} ms (${cpu.toFixed(0)} ms of CPU time)`;
}
