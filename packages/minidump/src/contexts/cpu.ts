// Describes a CPU for the walker: its registers, their roles, and their layout in a dump.
import type { Bytes } from '../bytes.ts';

export type CpuName = 'x86' | 'amd64' | 'arm' | 'arm64';

/** Values by register name. Unknown registers are missing. Each value fits the CPU's word size. */
export type Registers = ReadonlyMap<string, bigint>;

export type Cpu = {
  readonly name: CpuName;
  /** The size of an address and of a general register, in bytes. */
  readonly wordSize: 4 | 8;
  readonly instructionPointer: string;
  readonly stackPointer: string;
  readonly framePointer: string;
  /** All registers, in the order of the report. */
  readonly registers: readonly string[];
  /** Callee-saved registers: a caller's value is that of its callee, unless a rule restores it. */
  readonly calleeSaved: readonly string[];
  /** Other register names in symbol files: `x30` for `lr`. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Reads the CPU context of a thread or an exception. Throws a MinidumpError if it is cut off or of another CPU. */
  readContext(bytes: Bytes): Registers;
};

/** Sets a register; a value that could not be recovered becomes unknown. */
export function setOrDelete(registers: Map<string, bigint>, name: string, value: bigint | undefined): void {
  if (value === undefined) registers.delete(name);
  else registers.set(name, value);
}
