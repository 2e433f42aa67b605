// Writes a dump that takes long to process and needs much memory: every word of every stack looks like a return
// address.
import { writeAmd64Context } from '../../../minidump/test/dump-writer/contexts.ts';
import { writeDump } from '../../../minidump/test/dump-writer/dump-writer.ts';

const BASE = 0x5555_0000_0000n;
const STACKS = 0x7f00_0000_0000n;
const STACK_WORDS = 2048;

/** Enough threads to reach the limit on frames in total. */
const THREADS = 80;
/** Each module is read, looked up and reported. */
const MODULES = 120_000;

export function writeHeavyDump(): Uint8Array {
  const threads = Array.from({ length: THREADS }, (_, index) => {
    const start = STACKS + BigInt(index) * 0x10_0000n;
    const words = new BigUint64Array(STACK_WORDS).map((_word, place) => BASE + BigInt(place * 16));
    const context = writeAmd64Context({ rip: BASE + 16n, rsp: start, rbp: 0n });
    return { id: index + 1, context, stack: { start, bytes: new Uint8Array(words.buffer) } };
  });
  const modules = Array.from({ length: MODULES }, (_, index) => ({
    name: `/home/ann/game/plugins/libplugin${index}.so`,
    base: BASE + BigInt(index) * 0x10_0000n,
    size: 0x10_0000,
    codeView: { kind: 'elf', buildId: index.toString(16).padStart(32, '0') } as const,
  }));
  return writeDump({
    timestamp: 1_700_000_000,
    system: { processorArchitecture: 9, platformId: 0x8201, cpuCount: 8 },
    threads,
    exception: { threadId: 1, code: 11, flags: 1, address: 8n, context: threads[0]!.context },
    modules,
  });
}
