// Writes the CPU contexts of dumps from register values. Omitted registers are zero.
import { type Endian, Output } from './output.ts';

/** Values by lower-case name: `{ rip: 0x1000n, rsp: 0x7fff0000n }`. */
export type RegisterValues = Readonly<Record<string, bigint | number>>;

/** The offsets of the registers in a context, and its flags. */
type Layout = {
  readonly size: number;
  readonly flags: { readonly at: number; readonly size: 4 | 8; readonly value: number };
  readonly registers: readonly { readonly name: string; readonly at: number; readonly size: 2 | 4 | 8 }[];
};

/** Writes the 716 bytes of `CONTEXT` on 32-bit Windows. */
export function writeX86Context(registers: RegisterValues, endian: Endian = 'little'): Uint8Array {
  return writeContext(X86, registers, endian);
}

/** Writes the 1232 bytes of `CONTEXT` on 64-bit Windows. */
export function writeAmd64Context(registers: RegisterValues, endian: Endian = 'little'): Uint8Array {
  return writeContext(AMD64, registers, endian);
}

/** Writes the 368 bytes of Breakpad's ARM context. Names: r0 to r10, fp, r12, sp, lr, pc, cpsr. */
export function writeArmContext(registers: RegisterValues, endian: Endian = 'little'): Uint8Array {
  return writeContext(ARM, registers, endian);
}

/** Writes the 912 bytes of Microsoft's arm64 context. Names: x0 to x28, fp, lr, sp, pc, cpsr. */
export function writeArm64Context(registers: RegisterValues, endian: Endian = 'little'): Uint8Array {
  return writeContext(ARM64, registers, endian);
}

/** Writes the 796 bytes of Breakpad's old arm64 context, with the same names. */
export function writeOldArm64Context(registers: RegisterValues, endian: Endian = 'little'): Uint8Array {
  return writeContext(OLD_ARM64, registers, endian);
}

function run(names: readonly string[], at: number, size: 2 | 4 | 8) {
  return names.map((name, index) => ({ name, at: at + index * size, size }));
}

function numbered(prefix: string, from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `${prefix}${from + index}`);
}

const X86: Layout = {
  size: 716,
  flags: { at: 0, size: 4, value: 0x0001003f },
  registers: [
    ...run(['dr0', 'dr1', 'dr2', 'dr3', 'dr6', 'dr7'], 4, 4),
    ...run(['gs', 'fs', 'es', 'ds', 'edi', 'esi', 'ebx', 'edx', 'ecx', 'eax'], 140, 4),
    ...run(['ebp', 'eip', 'cs', 'efl', 'esp', 'ss'], 180, 4),
  ],
};

const AMD64: Layout = {
  size: 1232,
  flags: { at: 48, size: 4, value: 0x0010000f },
  registers: [
    ...run(['cs', 'ds', 'es', 'fs', 'gs', 'ss'], 56, 2),
    ...run(['eflags'], 68, 4),
    ...run(['dr0', 'dr1', 'dr2', 'dr3', 'dr6', 'dr7'], 72, 8),
    ...run(['rax', 'rcx', 'rdx', 'rbx', 'rsp', 'rbp', 'rsi', 'rdi', ...numbered('r', 8, 15), 'rip'], 120, 8),
  ],
};

const ARM: Layout = {
  size: 368,
  flags: { at: 0, size: 4, value: 0x40000006 },
  registers: [...run([...numbered('r', 0, 10), 'fp', 'r12', 'sp', 'lr', 'pc', 'cpsr'], 4, 4), ...run(['fpscr'], 72, 8)],
};

const ARM64_NAMES = [...numbered('x', 0, 28), 'fp', 'lr', 'sp', 'pc'];

const ARM64: Layout = {
  size: 912,
  flags: { at: 0, size: 4, value: 0x00400007 },
  registers: [...run(['cpsr'], 4, 4), ...run(ARM64_NAMES, 8, 8)],
};

const OLD_ARM64: Layout = {
  size: 796,
  flags: { at: 0, size: 8, value: 0x80000006 },
  registers: [...run(ARM64_NAMES, 8, 8), ...run(['cpsr'], 272, 4)],
};

function writeContext({ size, flags, registers }: Layout, values: RegisterValues, endian: Endian): Uint8Array {
  const unknown = Object.keys(values).filter((name) => !registers.some((register) => register.name === name));
  if (unknown.length > 0) throw new Error(`The context has no register ${unknown.join(', ')}.`);
  const output = new Output(endian).zeros(size);
  for (const { name, ...place } of registers) writeNumber(output, place, values[name] ?? 0);
  writeNumber(output, flags, flags.value);
  return output.bytes;
}

function writeNumber(output: Output, { at, size }: { at: number; size: 2 | 4 | 8 }, value: bigint | number): void {
  output.patch(at, () => {
    if (size === 8) output.u64(value);
    else if (size === 4) output.u32(Number(value));
    else output.u16(Number(value));
  });
}
