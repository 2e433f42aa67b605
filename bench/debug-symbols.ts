// Measures how long the conversion of debug information takes, in turns with Mozilla's dump_syms if it is in the PATH:
// `node bench/debug-symbols.ts <program or PDB>…`. With small files, it is mostly the start of Node.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { bundlePackage } from '../scripts/release/bundle-package.ts';
import { medianOf, note, print, printFigure } from './figures.ts';

const PACKAGE = join(import.meta.dirname, '../packages/debug-symbols');
const COMMAND = join(PACKAGE, 'bin/chauffeur-dump-syms.cjs');
const ROUNDS = 5;
const MAX_RATIO = 3;

type Run = { readonly seconds: number; readonly megabytes: number };

/** The wall time and the peak memory of a program whose output is dropped. */
function measure(program: string, args: readonly string[]): Run {
  const start = performance.now();
  const { status, stderr } = spawnSync('/usr/bin/time', ['-f', '%M', program, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`${program} failed: ${stderr.slice(-300)}`);
  const kilobytes = Number(/(\d+)\s*$/.exec(stderr)?.[1]);
  return { seconds: (performance.now() - start) / 1000, megabytes: (kilobytes * 1024) / 1e6 };
}

function findReference(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'dump_syms')).find((path) => existsSync(path));
}

function compare(path: string, reference: string | undefined): void {
  const [ours, theirs]: [Run[], Run[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(measure(process.execPath, [COMMAND, path]));
    if (reference !== undefined) theirs.push(measure(reference, ['--inlines', path]));
  }
  const title = `${basename(path)} (${(statSync(path).size / 1e6).toFixed(0)} MB)`;
  const [seconds, megabytes] = mediansOf(ours);
  print(`${title}: ${seconds.toFixed(2)} s, ${megabytes.toFixed(0)} MB of memory`);
  if (reference === undefined) return;
  const [theirSeconds, theirMegabytes] = mediansOf(theirs);
  note(`dump_syms: ${theirSeconds.toFixed(2)} s, ${theirMegabytes.toFixed(0)} MB of memory`);
  printFigure(`${basename(path)}: time / dump_syms`, seconds / theirSeconds, { below: MAX_RATIO });
  printFigure(`${basename(path)}: memory / dump_syms`, megabytes / theirMegabytes, { below: 1 });
}

function mediansOf(runs: readonly Run[]): [seconds: number, megabytes: number] {
  return [medianOf(runs.map(({ seconds }) => seconds)), medianOf(runs.map(({ megabytes }) => megabytes))];
}

const paths = process.argv.slice(2);
if (paths.length === 0) throw new Error('Name the programs or PDBs to convert.');
const reference = findReference();
await bundlePackage(PACKAGE);
if (reference === undefined) note('skipped: dump_syms not found');
for (const path of paths) compare(path, reference);
