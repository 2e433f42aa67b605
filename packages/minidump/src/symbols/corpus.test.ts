// Compiles every symbol file of the corpus and compares lookups with those of a naive reader, at addresses in its records.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { compileText } from '../../test/compile-text.ts';
import { NaiveSymbols } from '../../test/naive-symbols.ts';
import { readModuleLine } from './module-line.ts';

const CORPUS = join(import.meta.dirname, '../../../../../shared/corpus/open');
const skip = existsSync(CORPUS) ? false : 'skipped: corpus not found';

describe('symbol files of the corpus', { skip }, () => {
  for (const path of findSymbolFiles()) {
    it(`${path}: lookups match those of a naive reader`, () => compareWithNaive(join(CORPUS, path)));
  }
});

/** Returns each file once, although several dumps have the symbols of the same library. */
function findSymbolFiles(): Iterable<string> {
  const paths = globSync('*/symbols/*/*/*.sym', { cwd: CORPUS });
  return new Map(paths.map((path) => [`${basename(path)} ${statSync(join(CORPUS, path)).size}`, path])).values();
}

function compareWithNaive(path: string): void {
  const bytes = readFileSync(path);
  assert.equal(readModuleLine(bytes).debugId, basename(dirname(path)));
  const { cache, compiler } = compileText(bytes);
  assert.deepEqual(compiler.problems, []);
  assert.equal(compiler.unknownCount, 0);
  const text = bytes.toString();
  const naive = new NaiveSymbols(text);
  for (const offset of addressesIn(text)) {
    assert.deepEqual(cache.placeAt(offset), naive.placeAt(offset), `placeAt(${offset})`);
    assert.deepEqual(cache.cfiAt(offset), naive.cfiAt(offset), `cfiAt(${offset})`);
    assert.deepEqual(cache.stackWinAt(offset), naive.stackWinAt(offset), `stackWinAt(${offset})`);
  }
}

/** How many addresses of a file are tested, evenly spread: most records of a large file are similar. */
const MAX_ADDRESSES = 4000;

/** Returns the first and the last address of every record. */
function addressesIn(text: string): number[] {
  const addresses = new Set<number>();
  for (const [, start, size] of text.matchAll(
    /^(?:FUNC (?:m )?|PUBLIC (?:m )?|STACK CFI (?:INIT )?|STACK WIN \d )?([0-9a-f]+) ([0-9a-f]+)?/gm,
  )) {
    const [from, end] = [Number.parseInt(start!, 16), Number.parseInt(start!, 16) + Number.parseInt(size ?? '0', 16)];
    for (const address of [from, end - 1]) if (address >= 0) addresses.add(address);
  }
  const step = Math.ceil(addresses.size / MAX_ADDRESSES);
  return [...addresses].filter((_, index) => index % step === 0);
}
