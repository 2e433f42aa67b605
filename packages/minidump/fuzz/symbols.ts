// Fuzzes symbols: the compiler with damaged text, and lookups in damaged caches, with and without correct checksums.
// Run: node packages/minidump/fuzz/symbols.ts [minutes]

import { deepStrictEqual } from 'node:assert';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { openSymbolCache, type SymbolCache } from '../src/symbols/cache/cache.ts';
import { PAGE_DATA_SIZE, PAGE_SIZE, pageChecksum } from '../src/symbols/cache/pages.ts';
import { MemoryRangeReader } from '../src/symbols/cache/range-reader.ts';
import type { CodePlace } from '../src/symbols/module-symbols.ts';
import { compileText } from '../test/compile-text.ts';
import { symbolText } from '../test/random-symbols.ts';
import { fuzz, readMinutes } from './fuzz.ts';
import {
  cutOff,
  flipBits,
  insert,
  MUTATIONS,
  type Mutation,
  mutate,
  type Random,
  remove,
  splice,
} from './mutations.ts';

/** Larger files do not find more bugs. */
const MAX_CORPUS_BYTES = 40_000;
const CORPUS = join(import.meta.dirname, '../../../../shared/corpus/open');
const LINE_FEED = 0x0a;

const RANDOM_TEXTS = fc.sample(symbolText, { numRuns: 60, seed: 1 }).map((text) => Buffer.from(text));
const REAL_TEXTS = existsSync(CORPUS)
  ? globSync(join(CORPUS, '*/symbols/*/*/*.sym')).map((path) => readFileSync(path))
  : [];
const TEXTS = [...RANDOM_TEXTS, ...REAL_TEXTS.filter(({ length }) => length < MAX_CORPUS_BYTES)];
const CACHES = TEXTS.map((text) => {
  const { bytes, cache } = compileText(text);
  return { bytes, results: lookUpAll(cache) };
});

/** The first byte of an input is its kind. For caches, the second byte is the index of the original cache. */
const [TEXT, CACHE, REPAIRED_CACHE] = [0, 1, 2] as const;

const plantDigits: Mutation = (input, random) => {
  const texts = ['ffffffffffffffff', '0', '-1', '99999999999999999999', 'fffffffffffff', '100000000', '', 'zz'];
  const at = random.below(input.length);
  const output = [input.subarray(0, at), Buffer.from(random.pick(texts)), input.subarray(at + random.below(4))];
  return new Uint8Array(Buffer.concat(output));
};

/** Copies a line to another position, once, a few times or very often. */
const moveLine: Mutation = (input, random) => {
  const bytes = Buffer.from(input);
  const from = bytes.lastIndexOf(LINE_FEED, random.below(bytes.length)) + 1;
  const end = bytes.indexOf(LINE_FEED, from) + 1 || bytes.length;
  const to = bytes.lastIndexOf(LINE_FEED, random.below(bytes.length)) + 1;
  const line = bytes.subarray(from, end);
  const times = random.chance(0.05) && line.length < 200 ? 2000 : 1 + random.below(3);
  return new Uint8Array(
    Buffer.concat([bytes.subarray(0, to), ...Array.from({ length: times }, () => line), bytes.subarray(to)]),
  );
};

const lengthenLine: Mutation = (input, random) => {
  const at = random.below(input.length);
  const long = Buffer.alloc(random.pick([200, 5000, 300_000]), random.pick(['x', ' ', '0', 'f 1 ', '\r']));
  return new Uint8Array(Buffer.concat([input.subarray(0, at), long, input.subarray(at)]));
};

const TEXT_MUTATIONS = [
  plantDigits,
  plantDigits,
  moveLine,
  moveLine,
  lengthenLine,
  flipBits,
  cutOff,
  splice,
  insert,
  remove,
];

function createInput(random: Random): Uint8Array {
  const kind = random.pick([TEXT, CACHE, REPAIRED_CACHE]);
  const which = random.below(TEXTS.length);
  if (kind === TEXT) return Buffer.concat([Uint8Array.of(kind), mutate(TEXTS[which]!, random, TEXT_MUTATIONS)]);
  const damaged = mutate(CACHES[which]!.bytes, random, MUTATIONS);
  if (kind === REPAIRED_CACHE) repairChecksums(Buffer.from(damaged.buffer));
  return Buffer.concat([Uint8Array.of(kind, which), damaged]);
}

function check(input: Uint8Array): unknown {
  if (input[0] === TEXT) return checkText(input.subarray(1));
  const cache = openSymbolCache(new MemoryRangeReader(input.subarray(2)));
  const results = lookUpAll(cache);
  // With repaired checksums, results can be wrong, but must have the correct types.
  if (input[0] === CACHE) deepStrictEqual(results, CACHES[input[1]!]!.results);
  return results;
}

/** Compiling a text in chunks must give the same result. */
function checkText(text: Uint8Array): unknown {
  const { cache, bytes } = compileText(text);
  const inPieces = compileText(text, 997);
  if (!Buffer.from(bytes).equals(inPieces.bytes)) throw new Error('different cache for chunks of 997 bytes');
  return lookUpAll(cache);
}

/** Looks up many offsets, and checks the types of all results. */
function lookUpAll(cache: SymbolCache): unknown[] {
  const offsets = Array.from({ length: 128 }, (_, index) => (index < 100 ? index * 2 : 2 ** (index - 75) + 7));
  return offsets.flatMap((offset) => {
    const [place, rules, win] = [cache.placeAt(offset), cache.cfiAt(offset), cache.stackWinAt(offset)];
    if (place !== undefined) {
      for (const location of [place, ...place.inlines]) checkPlace(location);
      mustBe('number', place.functionStart, place.parameterSize);
      if (place.lineStart !== undefined) mustBe('number', place.lineStart);
    }
    mustBe('string', ...(rules ?? []));
    if (win?.program !== undefined) mustBe('string', win.program);
    if (win !== undefined) mustBe('number', win.start, win.codeSize, win.prologSize, win.epilogSize, win.parameterSize);
    if (win !== undefined) mustBe('number', win.savedRegisterSize, win.localSize, win.maxStackSize);
    return [place, rules, win];
  });
}

function checkPlace({ function: name, file, line }: Pick<CodePlace, 'function' | 'file' | 'line'>): void {
  if (name !== undefined) mustBe('string', name);
  if (file !== undefined) mustBe('string', file);
  if (line !== undefined) mustBe('number', line);
}

function mustBe(type: 'string' | 'number', ...values: readonly unknown[]): void {
  for (const value of values) {
    if (typeof value !== type) throw new TypeError(`${String(value)} is not a ${type}`);
    if (type === 'number' && !(Number.isSafeInteger(value) && (value as number) >= 0))
      throw new RangeError(String(value));
  }
}

function repairChecksums(bytes: Buffer): void {
  for (let page = 0; (page + 1) * PAGE_SIZE <= bytes.length; page++) {
    const start = page * PAGE_SIZE;
    const data = bytes.subarray(start, start + PAGE_DATA_SIZE);
    bytes.writeUInt32LE(pageChecksum(data, page), start + PAGE_DATA_SIZE);
  }
  const tail = bytes.length - 24;
  if (tail < 0) return;
  const body = bytes.subarray(Math.max(0, tail - bytes.readUInt32LE(tail)), tail);
  bytes.writeUInt32LE(crc32(body), tail + 4);
}

fuzz('symbols', readMinutes(), createInput, check);
