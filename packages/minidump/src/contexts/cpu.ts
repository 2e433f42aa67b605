// What a CPU is to the walker: its registers, what each is for, and how a dump lays them out.
import type { Bytes } from '../bytes.ts';

export type CpuName = 'x86' | 'amd64' | 'arm' | 'arm64';

/** Values by register name; a register that is not known is not in it. Each value fits the CPU’s word. */
export type Registers = ReadonlyMap<string, bigint>;

export type Cpu = {
  readonly name: CpuName;
  /** Bytes of an address and of a general register. */
  readonly wordSize: 4 | 8;
  readonly instructionPointer: string;
  readonly stackPointer: string;
  readonly framePointer: string;
  /** All registers of a frame, in the order in which reports print them. */
  readonly registers: readonly string[];
  /** Registers that a function hands back as it found them, so that they stay known without a rule for them. */
  readonly calleeSaved: readonly string[];
  /** Other names that symbol files use: `x30` for `lr`. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Reads the CPU context of a thread or an exception. Throws a MinidumpError when it is cut off or of another CPU. */
  readContext(bytes: Bytes): Registers;
};
