// Damages PDBs at random. There is no right answer for them: the reader gives a part of the symbols or a clear error.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemorySource } from '../byte-source.ts';
import { DebugSymbolsError } from '../error.ts';
import { runSteps } from '../threads/run-steps.ts';
import { openPdb } from './pdb.ts';
import { readPdb } from './read-pdb.ts';
import { CORPUS_MISSING, CollectingSink, listHostile, readCasePdb, readCorpusFile } from './test-symbols.ts';

const CASES = ['pdb-x86_64-clang-O2', 'pdb-x86-clang-Os-dll', 'pub-pdb-x86-omap-bbs'];
const MUTATIONS = 60;
const MAX_SECONDS = 5;

for (const name of CASES) {
  test(`reads damaged copies of ${name} or throws a clear error`, { skip: CORPUS_MISSING }, () => {
    const original = readCasePdb(name);
    const random = createRandom(20_260_101);
    for (let round = 0; round < MUTATIONS; round++) check(mutate(original, random), `${name}, round ${round}`);
  });
}

test('reads the damaged PDBs of the corpus or throws a clear error', { skip: CORPUS_MISSING }, () => {
  for (const name of listHostile()) check(readCorpusFile('hostile', name), name);
});

function check(bytes: Uint8Array, description: string): void {
  const start = process.threadCpuUsage();
  try {
    runSteps(readPdb(openPdb(new MemorySource(bytes)), new CollectingSink(), { demangle: (name) => name }));
  } catch (error) {
    assert.ok(error instanceof DebugSymbolsError, `${description}: ${error}`);
  }
  const seconds = process.threadCpuUsage(start).user / 1_000_000;
  assert.ok(seconds < MAX_SECONDS, `${description} took ${seconds} s`);
}

function mutate(original: Uint8Array, random: (limit: number) => number): Uint8Array {
  // One in eight is cut; the header of the others is mostly left alone, so that more than the first check is tested.
  const bytes = Uint8Array.from(random(8) === 0 ? original.subarray(0, random(original.length)) : original);
  for (let changes = 1 + random(40); changes > 0 && bytes.length > 0; changes--) {
    const at = random(bytes.length);
    const kind = random(4);
    if (kind === 0) bytes[at] = random(256);
    else if (kind === 1) bytes[at]! ^= 1 << random(8);
    else bytes.fill(kind === 2 ? 0xff : 0, at, Math.min(at + random(16), bytes.length));
  }
  return bytes;
}

/** A linear congruential generator: the same numbers every time. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
