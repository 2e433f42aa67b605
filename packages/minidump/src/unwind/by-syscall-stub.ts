// Finds the caller of the stub through which 32-bit programs of Linux and Android call the kernel: `__kernel_vsyscall` on x86.
import { isReturnAddress } from './scan.ts';
import { known, type StackFrame, type Surroundings, type Technique } from './unwinder.ts';

/** The kernel maps this module itself, so that no symbol file describes it. Breakpad, Crashpad and the kernel name it differently. */
const VDSO = /(?:^|\/)(?:linux-gate\.so(?:\.\d+)?|linux-vdso\.so(?:\.\d+)?|\[?vdso\]?)$/;

/** Registers by the number that the instruction `pop` has for them: 0x58 is `pop eax`. */
const POPPED = 'eax ecx edx ebx esp ebp esi edi'.split(' ');
const POP = 0x58n;
const RETURN = 0xc3n;

/** What the stub pops after the kernel returned, in all variants: for `sysenter`, for `syscall`, and for `int 0x80`. */
const VARIANTS: readonly (readonly string[])[] = [['ebp', 'edx', 'ecx'], ['ebp'], []];

/**
 * The stub saves up to three registers, and its ebp points to them: followed as a frame pointer it would lead to an argument of the system call.
 * What it pops is read from its own code, which dumps hold around a crash, and is guessed by the return address behind it otherwise:
 *
 *     int 0x80; pop ebp; pop edx; pop ecx; ret
 */
export const bySyscallStub: Technique = (frame, around) => {
  const { modules, memory } = around;
  if (!isSyscallStub(frame, around)) return undefined;
  const exact = readPops(frame, around);
  for (const popped of exact === undefined ? VARIANTS : [exact]) {
    const registers = new Map(frame.registers);
    let sp = known(frame, 'esp');
    for (const name of popped) {
      setOrForget(registers, name, memory.word(sp, 4));
      sp += 4n;
    }
    const returnAddress = memory.word(sp, 4);
    if (returnAddress === undefined || !isReturnAddress(returnAddress, around)) continue;
    // The stub is not called from within its own module.
    if (modules.at(returnAddress) === frame.module) continue;
    registers.set('eip', returnAddress).set('esp', BigInt.asUintN(32, sp + 4n));
    return { registers, trust: 'leaf' };
  }
  return undefined;
};

/** The stub calls nothing: an address in its module that was found on a stack is another function's, or no return address. */
function isSyscallStub({ interrupted, module }: StackFrame, { os }: Surroundings): boolean {
  return interrupted && (os === 'linux' || os === 'android') && module !== undefined && VDSO.test(module.codeFile);
}

/** The registers that the code from the instruction on pops before it returns; undefined where it is not in the dump or does something else. */
function readPops({ instruction }: StackFrame, { memory }: Surroundings): readonly string[] | undefined {
  const popped: string[] = [];
  for (let at = instruction; popped.length <= 3; at++) {
    const code = memory.word(at, 1);
    if (code === RETURN) return popped;
    const name = code === undefined ? undefined : POPPED[Number(code - POP)];
    if (name === undefined || name === 'esp') return undefined;
    popped.push(name);
  }
  return undefined;
}

function setOrForget(registers: Map<string, bigint>, name: string, value: bigint | undefined): void {
  if (value === undefined) registers.delete(name);
  else registers.set(name, value);
}
