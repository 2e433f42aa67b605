// A worker thread of the batch benchmark: walks one dump many times, like many dumps of one build.
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { processMinidump } from '@chauffeur/minidump/process';
import { SymbolDirectory } from '@chauffeur/minidump/symbols/directory';

export type WalkBatch = {
  readonly dump: string;
  readonly symbols: string;
  readonly cacheFolder: string;
  readonly count: number;
};

const { dump, symbols, cacheFolder, count } = workerData as WalkBatch;
const source = new SymbolDirectory([symbols], { cacheFolder });
processMinidump(readFileSync(dump), { symbols: source });
parentPort?.once('message', () => {
  for (let walked = 0; walked < count; walked++) processMinidump(readFileSync(dump), { symbols: source });
  source.close();
  parentPort?.postMessage('done');
});
parentPort?.postMessage('ready');
