// Writes a dump of a crashed game that matches the symbols of symbol-text.ts.
import { writeAmd64Context } from '../packages/minidump/test/dump-writer/contexts.ts';
import { writeDump } from '../packages/minidump/test/dump-writer/dump-writer.ts';
import { SYMBOL_MODULE } from './symbol-text.ts';

const BASE = 0x5555_0000_0000n;
const STACKS = 0x7f00_0000_0000n;
const STACK_WORDS = 2048;
const THREADS = 16;
/** The number of threads with different stacks. The others are workers that wait in the same function. */
const BUSY_THREADS = 4;
const CRASHED_FRAMES = 40;
const OTHER_FRAMES = 12;

/** `functions` are the offsets of functions. Their unwind rules at the start use one word of the stack. */
export function writeGameDump(functions: readonly number[]): Uint8Array {
  const ids = Array.from({ length: THREADS }, (_, index) => 1000 + index);
  const threads = ids.map((id, index) => {
    const start = STACKS + BigInt(index) * 0x10_0000n;
    const called = functionsOf(index, functions);
    const context = writeAmd64Context({ rip: BASE + BigInt(called[0]!), rsp: start, rbp: start });
    return { id, context, stack: { start, bytes: writeStack(called.slice(1)) } };
  });
  return writeDump({
    timestamp: 1_700_000_000,
    system: { processorArchitecture: 9, platformId: 0x8201, cpuCount: 8 },
    threads,
    exception: { threadId: ids[0]!, code: 11, flags: 1, address: 8n, context: threads[0]!.context },
    modules: [game(functions), ...libraries()],
  });
}

function functionsOf(thread: number, functions: readonly number[]): number[] {
  const count = thread === 0 ? CRASHED_FRAMES : OTHER_FRAMES;
  const place = Math.min(thread, BUSY_THREADS);
  return Array.from({ length: count }, (_, frame) => functions[(place * 61 + frame * 23) % functions.length]!);
}

/**
 * Memory as games have it, of `bytes` bytes: zeros, small numbers, pointers and floats. zstd level 1 takes as long for it
 * as for real dumps of 0.2 to 0.6 MB, and makes it an eighth as large.
 */
export function writeMemory(bytes: number): Uint8Array {
  const words = new BigUint64Array(Math.ceil(bytes / 8));
  let seed = 1;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  for (let index = 0; index < words.length; ) {
    // Structures of one kind are next to each other.
    const run = 4 + random(60);
    const kind = random(20);
    for (const end = Math.min(words.length, index + run); index < end; index++) {
      if (kind < 11) words[index] = 0n;
      else if (kind < 14) words[index] = BigInt(random(256));
      else if (kind < 19) words[index] = STACKS + BigInt(random(0x1000) * 16);
      else words[index] = BigInt(0x3f00_0000 + random(0x100_0000)) << 16n;
    }
  }
  return new Uint8Array(words.buffer, 0, bytes);
}

/** Writes return addresses, a zero that ends the stack, and other data. */
function writeStack(called: readonly number[]): Uint8Array {
  const words = new BigUint64Array(STACK_WORDS);
  for (const [index, offset] of called.entries()) words[index] = BASE + BigInt(offset) + 1n;
  for (let index = called.length + 1; index < STACK_WORDS; index++) words[index] = BigInt(index) * 0x9e37_79b9n;
  return new Uint8Array(words.buffer);
}

function game(functions: readonly number[]) {
  const { debugFile, debugId } = SYMBOL_MODULE;
  const size = (functions.at(-1)! + 0x100_0000) & ~0xfff;
  const codeView = { kind: 'elf', buildId: toBuildId(debugId) } as const;
  return { name: `/opt/game/${debugFile}`, base: BASE, size, codeView };
}

/** The first fields of a debug id are numbers, and a build id has their bytes in little-endian order. */
function toBuildId(debugId: string): string {
  const bytes = debugId.match(/../g)!.slice(0, 16);
  const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
  return order.map((index) => bytes[index]).join('');
}

function libraries() {
  return Array.from({ length: 60 }, (_, index) => ({
    name: `/usr/lib/libgame${index}.so`,
    base: 0x7e00_0000_0000n + BigInt(index) * 0x100_0000n,
    size: 0x80_0000,
    codeView: { kind: 'elf', buildId: (index + 16).toString(16).padEnd(40, '5') } as const,
  }));
}
