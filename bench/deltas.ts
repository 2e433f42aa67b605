// Measures the bytes, time and memory of updates, next to xdelta3, zstd --patch-from, casync, zsync and rsync in the same run:
// `node bench/deltas.ts FOLDER [PAIR…]`. FOLDER/PAIR has a version of a game in `old` and the next one in `new`. Every update
// is applied and compared with the new version. Needs GNU time and tar; tools that are missing or too slow are left out.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeZip } from '@chauffeur/cli/src/zip/zip.ts';
import { type Paths, runStep } from './delta-steps.ts';
import { type Outcome, TOOLS } from './delta-tools.ts';
import { note, print, printFigure } from './figures.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** How long another tool may take for one pair. */
    seconds: { type: 'string', default: '600' },
    /** Leaves out the other tools. */
    alone: { type: 'boolean', default: false },
    step: { type: 'string' },
  },
});

type Figures = Readonly<Record<string, number>>;

type Result = {
  readonly pair: string;
  readonly growth: number;
  readonly zip: Figures;
  readonly blocks: Figures;
  readonly make: Figures;
  readonly apply: Figures;
  readonly tools: Readonly<Record<string, Outcome | null>>;
};

/** Runs a step in its own process. */
function measure(step: string, paths: Paths): Figures {
  const args = [import.meta.filename, '--step', step, paths.old, paths.new, paths.work];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));
}

async function measurePair(folder: string, pair: string): Promise<Result> {
  const work = mkdtempSync(join(tmpdir(), 'chauffeur-deltas-'));
  const paths = { old: join(folder, pair, 'old'), new: join(folder, pair, 'new'), work };
  try {
    note(`${pair}: zip`);
    const zip = measure('zip', paths);
    const today = (await writeZip(paths.new, join(work, 'today.zip'))).size;
    rmSync(join(work, 'today.zip'));
    note(`${pair}: update with blocks`);
    const blocks = measure('blocks', paths);
    rmSync(join(work, 'by-blocks'), { recursive: true });
    note(`${pair}: update with patches`);
    const make = measure('make', paths);
    const apply = measure('apply', paths);
    rmSync(join(work, 'by-pack'), { recursive: true });
    const tools: Record<string, Outcome | null> = {};
    for (const tool of values.alone ? [] : TOOLS) {
      note(`${pair}: ${tool.name}`);
      tools[tool.name] = await tool.run(paths, Number(values.seconds)).catch(() => null);
    }
    return { pair, growth: zip.zip! / today - 1, zip, blocks, make, apply, tools };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const MB = 1e6;
const format = (bytes: number | undefined) => (bytes === undefined ? '-' : (bytes / MB).toFixed(3));

function printTable(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]!.length)));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  ');
  print(`\n${title}`);
  for (const row of [head, ...rows]) print(line(row));
}

function bestOf({ tools }: Result): number {
  return Math.min(...Object.values(tools).map((outcome) => outcome?.bytes ?? Number.POSITIVE_INFINITY));
}

/** Patches with everything that belongs to them: the difference of the manifests is in the pack. */
const patchBytes = ({ make }: Result) => make.pack!;
const blockBytes = ({ blocks }: Result) => blocks.fetched! + blocks.difference!;

function geometricMean(numbers: readonly number[]): number {
  return Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length);
}

function report(results: readonly Result[]): void {
  const names = TOOLS.map(({ name }) => name);
  printTable(
    'MB to download. "blocks" and "patches" include the difference of the manifests, "manifest" alone.',
    ['pair', 'blocks', 'patches', 'manifest', ...names, 'patches / best', 'blocks / casync'],
    results.map((result) => [
      result.pair,
      format(blockBytes(result)),
      format(patchBytes(result)),
      format(result.apply.difference),
      ...names.map((name) => format(result.tools[name]?.bytes)),
      (patchBytes(result) / bestOf(result)).toFixed(2),
      (blockBytes(result) / (result.tools.casync?.bytes ?? Number.NaN)).toFixed(2),
    ]),
  );
  printTable(
    'MB to upload with blocks that the server has, the zip, what it grows by, and the whole manifest.',
    ['pair', 'upload', 'zip', 'growth', 'manifest', 'difference with hashes', 'requests'],
    results.map(({ pair, blocks, zip, growth }) => [
      pair,
      format(blocks.missing! + blocks.difference!),
      format(zip.zip),
      `${(100 * growth).toFixed(2)} %`,
      format(blocks.manifest),
      format(blocks.difference),
      String(blocks.ranges),
    ]),
  );
  const cost = (figures: Figures | Outcome | null | undefined) =>
    figures == null ? '-' : `${figures.seconds!.toFixed(1)} / ${figures.megabytes!.toFixed(0)}`;
  printTable(
    'Seconds / MB of memory. The tools both make and apply with their defaults, as far as they separate it: the time to make.',
    ['pair', 'zip both', 'plan and apply', 'make pack', 'apply pack', ...names],
    results.map((result) => [
      result.pair,
      ...[result.zip, result.blocks, result.make, result.apply].map(cost),
      ...names.map((name) => cost(result.tools[name])),
    ]),
  );
  print('');
  const ratios = results.map((result) => patchBytes(result) / bestOf(result)).filter((ratio) => ratio > 0);
  if (ratios.length > 0) printFigure('patches / best tool, geometric mean', geometricMean(ratios), { below: 1.5 });
  const real = results.filter(({ pair }) => !pair.startsWith('syn-'));
  const worst = Math.max(...real.map((result) => blockBytes(result) / (result.tools.casync?.bytes ?? Number.NaN)));
  if (worst > 0) printFigure('blocks / casync, the largest of the real pairs', worst, { below: 1.2 });
  for (const { pair, blocks } of results) {
    const allowed = 10_000 + 0.01 * blocks.fetched!;
    if (blocks.difference! > allowed)
      print(`${pair}: the difference of the manifests has ${blocks.difference} bytes MISSED`);
  }
  printFigure(
    'zip / zip in today’s form, the largest',
    1 + Math.max(...results.map(({ growth }) => growth)),
    { below: 1.01 },
    { digits: 4 },
  );
  printFigure(
    'memory of applying a pack, the largest',
    Math.max(...results.map(({ apply }) => apply.megabytes!)),
    { below: 150 },
    { unit: ' MB', digits: 0 },
  );
}

/** A game of 1 GB whose next version differs in 1 %: how long planning and applying take, without a network. */
function measureGigabyte(): void {
  const folder = mkdtempSync(join(tmpdir(), 'chauffeur-gigabyte-'));
  const paths = { old: join(folder, 'old'), new: join(folder, 'new'), work: folder };
  try {
    mkdirSync(paths.old);
    mkdirSync(paths.new);
    for (let file = 0; file < 100; file += 1) {
      const content = randomBytes(10 * MB);
      writeFileSync(join(paths.old, `${file}.pak`), content);
      // Each change moves what follows it.
      const at = 4 * MB + file;
      const next = [content.subarray(0, at), randomBytes(0.1 * MB + 1), content.subarray(at + 0.1 * MB)];
      writeFileSync(join(paths.new, `${file}.pak`), Buffer.concat(next));
    }
    measure('zip', paths);
    const blocks = measure('blocks', paths);
    rmSync(join(folder, 'by-blocks'), { recursive: true });
    measure('make', paths);
    const apply = measure('apply', paths);
    note(`1 GB: ${JSON.stringify({ blocks, apply })}`);
    printFigure(
      '1 GB, 1 % changed: plan and apply blocks',
      blocks.planSeconds! + blocks.applySeconds!,
      { below: 5 },
      { unit: ' s' },
    );
    printFigure('1 GB, 1 % changed: apply patches', apply.applySeconds!, { below: 5 }, { unit: ' s' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(): Promise<void> {
  const [folder, ...wanted] = positionals;
  if (folder === undefined) throw new Error('Name the folder with the pairs.');
  const isPair = (name: string) => ['old', 'new'].every((side) => existsSync(join(folder, name, side)));
  const pairs = wanted.length > 0 ? wanted : readdirSync(folder).filter(isPair);
  const results: Result[] = [];
  for (const pair of pairs) {
    results.push(await measurePair(folder, pair));
    note(JSON.stringify(results.at(-1)));
  }
  report(results);
  measureGigabyte();
}

const [old = '', next = '', work = ''] = positionals;
if (values.step !== undefined) await runStep(values.step, { old, new: next, work });
else await main();
