// Fuzzes the evaluation of unwind rules with random and damaged tokens.
// Run: node packages/minidump/fuzz/rules.ts [minutes]

import { CPUS } from '../src/contexts/contexts.ts';
import type { CpuName } from '../src/contexts/cpu.ts';
import { applyCfi, savedBelowCfa } from '../src/symbols/cfi.ts';
import { runProgram } from '../src/symbols/stack-win.ts';
import { fuzz, readMinutes } from './fuzz.ts';
import { mutate, type Random } from './mutations.ts';

const TOKENS = [
  '.cfa: .ra: $rsp: $rbp: x29: : .cfa .undef $rsp $rbp rsp $eip $T0 .raSearch .cbLocals x30 lr'.split(' '),
  '^ + - * / % @ = 0 1 8 -8 16 4096 -1 9223372036854775807 18446744073709551616 0x10 1e9'.split(' '),
].flat();

const CPU_NAMES = Object.keys(CPUS) as CpuName[];

/** Any address below 2 MiB can be read, and contains another such address. */
const MEMORY = { word: (address: bigint) => (address < 0x20_0000n ? (address * 7n) % 0x20_0000n : undefined) };

function createInput(random: Random): Uint8Array {
  const lines = Array.from({ length: 1 + random.below(4) }, () =>
    Array.from({ length: random.below(random.chance(0.01) ? 20_000 : 24) }, () => random.pick(TOKENS)).join(' '),
  );
  const text = Buffer.from(lines.join('\n'));
  return text.length > 0 && random.chance(0.3) ? mutate(text, random) : text;
}

function check(input: Uint8Array): unknown {
  const rules = Buffer.from(input).toString('latin1').split('\n');
  return CPU_NAMES.map((name) => {
    const cpu = CPUS[name];
    const registers = new Map(cpu.registers.map((register, index) => [register, BigInt(index * 4096)]));
    const caller = applyCfi(rules, cpu, registers, MEMORY);
    if (caller instanceof Map) checkRange(caller.values(), 8 * cpu.wordSize);
    savedBelowCfa(rules, 'x29');
    const variables = new Map([['$esp', 4096n]]);
    for (const program of rules) runProgram(program, variables, MEMORY);
    checkRange(variables.values(), 32);
    return caller;
  });
}

/** Throws if a value does not fit in a register. */
function checkRange(values: Iterable<bigint>, bits: number): void {
  for (const value of values) {
    if (BigInt.asUintN(bits, value) !== value) throw new Error(`${value} does not fit ${bits} bits`);
  }
}

fuzz('rules', readMinutes(), createInput, check);
