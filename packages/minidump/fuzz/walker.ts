// Fuzzes the walker, from a dump and the text of its symbols to a report, with damaged scenes and dumps from the corpus.
// Run: node packages/minidump/fuzz/walker.ts [minutes]
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_LIMITS, processMinidump } from '../src/process.ts';
import type { Report } from '../src/report.ts';
import { openSymbolCache } from '../src/symbols/cache/cache.ts';
import { MemoryRangeReader } from '../src/symbols/cache/range-reader.ts';
import { SymbolCompiler } from '../src/symbols/compiler/compiler.ts';
import type { ModuleSymbols } from '../src/symbols/module-symbols.ts';
import { formatReport } from '../src/text.ts';
import { CORPUS_MISSING, readCases } from '../test/corpus.ts';
import { type Scene, writeScene } from '../test/scene.ts';
import { fuzz, readMinutes } from './fuzz.ts';
import { mutate, type Random } from './mutations.ts';

// The scenes use every technique of unwinding.

const SP = 0x7fff0000n;
const GAME = 0x400000n;

const INTEL = `FILE 0 game.cc
INLINE_ORIGIN 0 blend
FUNC 1000 100 0 main
INLINE 0 7 0 0 1010 40
1000 80 3 0
1080 80 4 0
FUNC 1100 100 8 update
FUNC 1200 100 0 draw
FUNC m 1300 100 0 sort
PUBLIC 1400 0 wait`;

const AMD64 = `${INTEL}
STACK CFI INIT 1100 100 .cfa: $rsp 16 + .ra: .cfa -8 + ^
STACK CFI 1180 .cfa: $rsp 24 + $rbx: .cfa -16 + ^
STACK CFI INIT 1200 100 .cfa: $rbp 16 + .ra: .cfa -8 + ^ $rbp: .cfa -16 + ^
STACK CFI INIT 1300 100 .cfa: $rsp 8 + .ra: .undef`;

const X86 = `${INTEL}
STACK WIN 4 1100 100 0 0 8 4 c 0 1 $eip .raSearchStart ^ = $esp .raSearchStart 4 + = $ebx 305419896 =
STACK WIN 4 1200 100 0 0 0 0 0 0 1 $T0 $ebp = $eip $T0 4 + ^ = $ebp $T0 ^ = $esp $T0 8 + =
STACK WIN 0 1300 100 0 0 0 8 4 0 0 1
STACK WIN 4 1400 100 0 0 0 0 0 0 1 $T0 .raSearch = $eip $T0 ^ = $ebp $T0 4 - ^ = $esp $T0 4 + = $T1 $esp 16 @ =`;

const ARM = `${INTEL}
STACK CFI INIT 1100 100 .cfa: sp 8 + .ra: .cfa -4 + ^ r4: .cfa -8 + ^
STACK CFI INIT 1200 100 .cfa: sp 0 + .ra: lr`;

const ARM64 = `${INTEL}
STACK CFI INIT 1100 100 .cfa: sp 0 + .ra: x30
STACK CFI 1108 .cfa: sp 32 + .ra: .cfa -24 + ^ x29: .cfa -32 + ^
STACK CFI INIT 1200 100 .cfa: sp 0 + .ra: x30`;

/** Alternating return addresses of all functions and addresses on the stack. */
function words(size: number): bigint[] {
  return Array.from({ length: 64 }, (_, index) =>
    index % 3 === 0 ? SP + BigInt((index + 4) * size) : GAME + 0x1010n + BigInt(index % 5) * 0x100n,
  );
}

const MAIN = GAME + 0x1110n;
const LIBRARY = { name: 'library', base: 0x500000n };

function scene(scene: Omit<Scene, 'modules' | 'stack'>, symbols: string, size: number): Scene {
  return { ...scene, modules: [{ name: 'game', base: GAME, symbols }, LIBRARY], stack: { at: SP, words: words(size) } };
}

/** Inlined calls that are nested deeper than a report contains. */
const DEEP = [
  'INLINE_ORIGIN 0 blend',
  'FUNC 1000 500 0 main',
  ...Array.from({ length: 300 }, (_, depth) => `INLINE ${depth} 7 0 0 1000 500`),
  'STACK CFI INIT 1000 500 .cfa: $rsp 8 + .ra: .cfa -8 + ^',
].join('\n');

const KERNEL = { name: 'linux-gate.so', base: 0xf7f0_0000n, size: 0x2000 };

const SCENES: readonly Scene[] = [
  scene({ registers: { rip: MAIN, rsp: SP, rbp: SP + 0x20n } }, AMD64, 8),
  scene({ os: 'windows', registers: { rip: LIBRARY.base, rsp: SP, rbp: SP } }, AMD64, 8),
  scene({ cpu: 'x86', os: 'windows', registers: { eip: MAIN, esp: SP, ebp: SP + 0x10n } }, X86, 4),
  scene({ cpu: 'x86', registers: { eip: 0n, esp: SP, ebp: SP + 0x10n } }, X86, 4),
  scene({ cpu: 'arm', registers: { pc: MAIN, sp: SP, lr: MAIN + 0x100n } }, ARM, 4),
  scene({ cpu: 'arm', os: 'ios', registers: { pc: MAIN, sp: SP, r7: SP + 0x10n } }, ARM, 4),
  scene({ cpu: 'arm64', registers: { pc: MAIN, sp: SP, fp: SP, lr: MAIN } }, ARM64, 8),
  scene({ cpu: 'arm64', os: 'macos', registers: { pc: LIBRARY.base, sp: SP, fp: SP + 0x20n } }, ARM64, 8),
  scene({ registers: { rip: GAME + 0x1010n, rsp: SP } }, DEEP, 8),
  {
    cpu: 'x86',
    registers: { eip: KERNEL.base + 0x5e8n, esp: SP, ebp: SP },
    modules: [{ name: 'game', base: GAME, symbols: X86 }, LIBRARY, KERNEL],
    stack: { at: SP, words: [SP + 0x18n, 6, 77, LIBRARY.base + 0x123n, ...words(4)] },
    memory: [{ at: KERNEL.base + 0x5e8n, words: [0xc3595a5d] }],
  },
];

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
  return openSymbolCache(new MemoryRangeReader(Buffer.concat(pieces)));
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
