// Unwinds x86 stacks, and the stub through which programs on Linux and Android call the kernel.

import { setOrDelete } from '../contexts/cpu.ts';
import { byCfi } from './by-cfi.ts';
import { bySignalFrame } from './by-signal-frame.ts';
import { byStackWin } from './by-stack-win.ts';
import { byIntelScan, byTopOfStack, isReturnAddress } from './scan.ts';
import {
  requireRegister,
  type StackFrame,
  stackOfFrame,
  type Technique,
  type UnwindContext,
  type Unwinder,
} from './unwinder.ts';

/** The module that the kernel maps, for which there are no symbols. Breakpad, Crashpad and the kernel name it differently. */
const VDSO = /(?:^|\/)(?:linux-gate\.so(?:\.\d+)?|linux-vdso\.so(?:\.\d+)?|\[?vdso\]?)$/;

/** Registers by their number in the `pop` instruction: 0x58 is `pop eax`. */
const POPPED = 'eax ecx edx ebx esp ebp esi edi'.split(' ');
const POP = 0x58n;
const RETURN = 0xc3n;

/** The registers that each variant of the stub pops after the kernel returns: `sysenter`, `syscall` and `int 0x80`. */
const VARIANTS: readonly (readonly string[])[] = [['ebp', 'edx', 'ecx'], ['ebp'], []];

/**
 * The stub saves up to three registers and points ebp to them, so following ebp as a frame pointer would lead to an
 * argument of the system call. The registers that it pops are read from its code, which dumps usually contain near a
 * crash:
 *
 *     int 0x80; pop ebp; pop edx; pop ecx; ret
 *
 * If the code is not in the dump, each variant is tried until it gives a valid return address.
 */
const bySyscallStub: Technique = (frame, context) => {
  const { modules, memory } = context;
  if (!isSyscallStub(frame, context)) return undefined;
  const exact = readPops(frame, context);
  for (const popped of exact === undefined ? VARIANTS : [exact]) {
    const registers = new Map(frame.registers);
    let sp = requireRegister(frame, 'esp');
    for (const name of popped) {
      setOrDelete(registers, name, memory.word(sp, 4));
      sp += 4n;
    }
    const returnAddress = memory.word(sp, 4);
    if (returnAddress === undefined || !isReturnAddress(returnAddress, context)) continue;
    // The stub is not called from within its own module.
    if (modules.at(returnAddress) === frame.module) continue;
    registers.set('eip', returnAddress).set('esp', BigInt.asUintN(32, sp + 4n));
    return { registers, trust: 'leaf' };
  }
  return undefined;
};

/** The stub makes no calls: an address in its module that was found on a stack belongs to another function, or to none. */
function isSyscallStub({ interrupted, module }: StackFrame, { os }: UnwindContext): boolean {
  return interrupted && (os === 'linux' || os === 'android') && module !== undefined && VDSO.test(module.codeFile);
}

/** Reads which registers the code pops before it returns; undefined if it is not in the dump or does something else. */
function readPops({ instruction }: StackFrame, { memory }: UnwindContext): readonly string[] | undefined {
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

/**
 * Follows the chain of frame pointers: ebp points to the caller's saved ebp, and the return address is above it (System V
 * i386 ABI, "The Stack Frame"). Like Breakpad and rust-minidump, this does not check the result: most 32-bit code has
 * frame pointers, and the end of the chain gives an implausible caller.
 */
const byFramePointer: Technique = (frame, context) => {
  const ebp = frame.registers.get('ebp');
  if (ebp === undefined) return undefined;
  const stack = stackOfFrame(frame, context);
  const callerEbp = stack.word(ebp, 4);
  const returnAddress = stack.word(ebp + 4n, 4);
  if (callerEbp === undefined || returnAddress === undefined) return undefined;
  const caller = new Map([
    ['eip', returnAddress],
    ['esp', BigInt.asUintN(32, ebp + 8n)],
    ['ebp', callerEbp],
  ]);
  return { registers: caller, trust: 'frame_pointer' };
};

export const X86_UNWINDER: Unwinder = {
  techniques: [bySignalFrame, byStackWin, byCfi, bySyscallStub, byTopOfStack, byFramePointer, byIntelScan],
  clean: (address) => address,
  callSize: 1n,
};
