// Measures the time from the start of the process to its first response, on an existing data folder. `--runs 5`.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { medianOf, note, print, printFigure } from './figures.ts';
import { createFolder, startService } from './service.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5' } } });
const folder = await createFolder();
const times: number[] = [];
try {
  for (let run = 0; run <= Number(values.runs); run++) {
    const service = await startService(join(folder, 'data'));
    await service.stop();
    note(`${run === 0 ? 'first start, which creates the database' : `run ${run}`}: ${service.startMs.toFixed(0)} ms`);
    if (run === 0) print(`first start ever = ${service.startMs.toFixed(0)} ms`);
    else times.push(service.startMs);
  }
  printFigure('start to first response', medianOf(times), { below: 1500 }, { unit: ' ms', digits: 0 });
} finally {
  await rm(folder, { recursive: true, force: true });
}
