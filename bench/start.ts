// Measures the time from the start of the process to its first response, of a release and of the sources, on an
// existing data folder, and the processor time of `chauffeur --help`. `--runs 5`.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleCommand } from '../scripts/release/bundle-command.ts';
import { buildServerFolder } from '../scripts/release/server-package.ts';
import { medianOf, note, print, printFigure } from './figures.ts';
import { processorTime } from './processor-time.ts';
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
