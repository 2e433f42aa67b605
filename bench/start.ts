// Measures the time from the start of the process to its first response, of a release and of the sources, on an
// existing data folder, and the processor time of `chauffeur --help`. `--runs 5`.
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleCommand } from '../scripts/release/bundle-command.ts';
import { buildServerFolder } from '../scripts/release/server-package.ts';
import { medianOf, note, print, printFigure } from './figures.ts';
import { createFolder, startService } from './service.ts';

/** The folder is in the checkout, where Node finds the packages that are not in the bundle. */
const BUILDS = join(import.meta.dirname, '../release');

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5' } } });
const runs = Number(values.runs);
const folder = await createFolder();
await mkdir(BUILDS, { recursive: true });
const build = await mkdtemp(join(BUILDS, 'bench-'));
try {
  await measureServer();
  await measureCommand();
} finally {
  await Promise.all([folder, build].map((path) => rm(path, { recursive: true, force: true })));
}

async function measureServer(): Promise<void> {
  const program = await buildServerFolder(build);
  const first = await timeStart();
  print(`first start ever = ${first.toFixed(0)} ms`);
  // The first start of a release fills its compile cache.
  await timeStart(program);
  const [source, release]: [number[], number[]] = [[], []];
  for (let run = 1; run <= runs; run++) {
    source.push(await timeStart());
    release.push(await timeStart(program));
    note(`run ${run}: sources ${source.at(-1)?.toFixed(0)} ms, release ${release.at(-1)?.toFixed(0)} ms`);
  }
  printFigure('start to first response', medianOf(source), { below: 1500 }, { unit: ' ms', digits: 0 });
  printFigure('release / sources', medianOf(release) / medianOf(source), { below: 0.6 });
}

async function timeStart(program?: string): Promise<number> {
  const service = await startService(join(folder, 'data'), { program });
  await service.stop();
  return service.startMs;
}

async function measureCommand(): Promise<void> {
  const command = join(build, 'chauffeur.cjs');
  await bundleCommand(command);
  const [nothing, help]: [number[], number[]] = [[], []];
  for (let run = 0; run < runs; run++) {
    nothing.push(processorTime('"$NODE" -e 0'));
    help.push(processorTime(`"$NODE" "${command}" --help`));
  }
  note(`node -e 0: ${medianOf(nothing).toFixed(0)} ms, chauffeur --help: ${medianOf(help).toFixed(0)} ms`);
  printFigure('chauffeur --help / node -e 0', medianOf(help) / medianOf(nothing), { below: 4 });
}

/** The processor time of a command of the shell, in milliseconds: the mean of ten runs. */
function processorTime(command: string): number {
  const script = `for run in 0 1 2 3 4 5 6 7 8 9; do ${command} >&2; done; times`;
  const { stdout } = spawnSync('sh', ['-c', script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { NODE: process.execPath },
  });
  // The second line has the user and system time of the children: 0m1.234s 0m0.567s.
  const times = [...(stdout.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  return times.reduce((sum, [, minutes, seconds]) => sum + 60_000 * Number(minutes) + 1000 * Number(seconds), 0) / 10;
}
