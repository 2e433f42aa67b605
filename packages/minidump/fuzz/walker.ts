// Fuzzes the walker, from a dump and the text of its symbols to a report, with damaged scenes and dumps from the corpus.
// Run: node packages/minidump/fuzz/walker.ts [minutes]

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_LIMITS, processMinidump } from '../src/process.ts';
import type { Report } from '../src/report.ts';
import { openSymbolCache } from '../src/symbols/cache/cache.ts';
import { MemoryReader } from '../src/symbols/cache/range-reader.ts';
import { SymbolCompiler } from '../src/symbols/compiler/compiler.ts';
import type { ModuleSymbols } from '../src/symbols/module-symbols.ts';
import { formatReport } from '../src/text.ts';
import { CORPUS_MISSING, readCases } from '../test/corpus.ts';
import { writeScene } from '../test/scene.ts';
import { fuzz, readMinutes } from './fuzz.ts';
import { mutate } from './mutations.ts';
import type { Random } from './random.ts';
import { SCENES } from './scenes.ts';

/** A dump, and the symbols for all of its modules. */
type Pair = { readonly dump: Uint8Array; readonly symbols: Uint8Array };

/** Larger inputs would allow too few rounds. */
const MAX_BYTES = 100_000;

const PAIRS: readonly Pair[] = [
  ...SCENES.map((scene) => ({ dump: writeScene(scene), symbols: Buffer.from(textOf(scene.modules?.[0]?.symbols)) })),
  ...(CORPUS_MISSING ? [] : realPairs()),
];

function textOf(records = ''): string {
  return `MODULE Linux x86_64 000000000000000000000000000000000 game\n${records}\n`;
}

function realPairs(): Pair[] {
  return [...readCases()].flatMap(({ dump, symbols }) => {
    const text = symbols === undefined ? new Uint8Array() : firstSymbols(symbols).subarray(0, MAX_BYTES);
    return dump.length <= MAX_BYTES ? [{ dump, symbols: text }] : [];
  });
}

function firstSymbols(folder: string): Uint8Array {
  const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('.sym'));
  return file === undefined ? new Uint8Array() : readFileSync(join(folder, file));
}

/** Combines both parts in one input, so that a finding is one file: the size of the dump, the dump, and the symbols. */
function createInput(random: Random): Uint8Array {
  const { dump, symbols } = random.pick(PAIRS);
  const damagesDump = random.chance(0.7);
  const parts = [
    damagesDump ? mutate(dump, random) : dump,
    symbols.length > 0 && (!damagesDump || random.chance(0.3)) ? mutate(symbols, random) : symbols,
  ] as const;
  const size = Buffer.alloc(4);
  size.writeUInt32LE(parts[0].length);
  return Buffer.concat([size, ...parts]);
}

function check(input: Uint8Array): unknown {
  const size = Buffer.from(input).readUInt32LE();
  const symbols = input.subarray(4 + size);
  const report = processMinidump(input.subarray(4, 4 + size), { symbols: { find: () => compile(symbols) } });
  checkReport(report);
  return report;
}

function compile(text: Uint8Array): ModuleSymbols | undefined {
  if (text.length === 0) return undefined;
  const pieces: Uint8Array[] = [];
  const compiler = new SymbolCompiler({ write: (bytes) => pieces.push(Uint8Array.from(bytes)) });
  compiler.write(text);
  compiler.finish();
  return openSymbolCache(new MemoryReader(Buffer.concat(pieces)));
}

/** Checks what must hold for any report. */
function checkReport(report: Report): void {
  const count = report.threads.reduce((sum, { frames }) => sum + frames.length, 0);
  const { signature } = report.signature;
  if (count > DEFAULT_LIMITS.allFrames) throw new Error(`${count} frames`);
  if (signature.length === 0 || signature.length > 255)
    throw new Error(`a signature of ${signature.length} characters`);
  JSON.stringify(report);
  formatReport(report);
}

fuzz('walker', readMinutes(), createInput, check);
