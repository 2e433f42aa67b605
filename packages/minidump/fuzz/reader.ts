// Fuzzes the reader with damaged dumps from the dump writer and the corpus: every stream, the module map and the memory.
// Run: node packages/minidump/fuzz/reader.ts [minutes]

import { memoryOf } from '../src/memory.ts';
import { Minidump } from '../src/minidump.ts';
import { ModuleMap } from '../src/module-map.ts';
import { MODULES } from '../src/streams/modules.ts';
import { STREAMS } from '../src/streams/streams.ts';
import { THREADS } from '../src/streams/threads.ts';
import { CORPUS_MISSING, readCases } from '../test/corpus.ts';
import { writeDump } from '../test/dump-writer/dump-writer.ts';
import { fullDescription } from '../test/dump-writer/full-description.ts';
import { fuzz, readMinutes } from './fuzz.ts';
import { mutate, type Random } from './mutations.ts';

/** Most corpus dumps are similar, and small ones allow more rounds. */
const MAX_CORPUS_BYTES = 300_000;

const WRITTEN = [
  writeDump(fullDescription('little')),
  writeDump(fullDescription('big')),
  writeDump({ ...fullDescription('little'), paddedLists: true }),
];
const REAL = CORPUS_MISSING
  ? []
  : [...readCases()].map(({ dump }) => dump).filter(({ length }) => length <= MAX_CORPUS_BYTES);

function createInput(random: Random): Uint8Array {
  const input = random.pick(REAL.length > 0 && random.chance(0.4) ? REAL : WRITTEN);
  return mutate(input, random);
}

/** Reads all streams, and looks up addresses from the dump itself. */
function readEverything(input: Uint8Array): unknown {
  const dump = new Minidump(input);
  const streams = STREAMS.map((kind) => dump.stream(kind));
  const modules = new ModuleMap(dump.stream(MODULES) ?? []);
  const memory = memoryOf(dump);
  for (const { stack } of dump.stream(THREADS) ?? []) {
    memory.word(stack.start, 8);
    modules.at(memory.word(stack.start + 8n, 4) ?? 0n);
  }
  return { streams, modules, memory };
}

fuzz('reader', readMinutes(), createInput, readEverything);
