// Finds epilogues of x86_64 functions of Windows in their code. Only version 2 of the unwind information says where they
// are, and few compilers write it. Windows itself looks at the code for the others: an epilogue has one of a few forms, which
// "x64 prolog and epilog" in Microsoft's documentation lists.
import type { Epilogue } from './x64-codes.ts';
import type { Pop } from './x64-epilogues.ts';
import type { Frame } from './x64-frame.ts';

/**
 * Returns the epilogues in the code of a function, by ascending position. `frame` is that of its body. Code that only looks
 * like an epilogue does no harm: its rules hold wherever the CPU really executes these instructions.
 */
export function findEpilogues(code: Uint8Array, frame: Frame, pops: readonly Pop[]): Epilogue[] {
  const popCodes = pops.flatMap((pop) => [...pop.code]);
  const depth = 8 + 8 * pops.length;
  const epilogues = new Map<number, Epilogue>();
  const bytes = Buffer.from(code.buffer, code.byteOffset, code.byteLength);
  for (const release of listReleases(frame, depth)) {
    const pattern = Uint8Array.from([...release, ...popCodes]);
    if (pattern.length === 0) continue;
    for (let at = bytes.indexOf(pattern); at >= 0; at = bytes.indexOf(pattern, at + 1)) {
      const end = at + pattern.length;
      const exit = measureExit(bytes, end);
      const start = at + release.length;
      if (exit > 0) epilogues.set(start, { fromEnd: code.length - start, size: popCodes.length + exit });
    }
  }
  return [...epilogues.values()].sort((a, b) => b.fromEnd - a.fromEnd);
}

/** Returns the instructions that can free the allocated part of a frame, down to what was pushed at a depth. */
function listReleases(frame: Frame, depth: number): number[][] {
  const allocated = frame.depth - depth;
  const releases: number[][] = [];
  // The epilogue begins with the first pop.
  if (allocated === 0) releases.push([]);
  // pop rax, rcx or rdx: Clang allocates 8 bytes by pushing a register.
  if (allocated === 8) releases.push([0x58], [0x59], [0x5a]);
  // add rsp, allocated
  if (allocated > 0 && allocated < 0x80) releases.push([0x48, 0x83, 0xc4, allocated]);
  if (allocated > 0) releases.push([0x48, 0x81, 0xc4, ...littleEndian(allocated)]);
  // mov rsp, r11, where r11 was set to it before
  if (allocated > 0) releases.push([0x49, 0x8b, 0xe3]);
  if (frame.pointer !== undefined) releases.push(...listPointerReleases(frame.pointer, depth));
  return releases;
}

function listPointerReleases(pointer: { register: number; depth: number }, depth: number): number[][] {
  const distance = pointer.depth - depth;
  const [prefix, register] = [pointer.register < 8 ? 0x48 : 0x49, pointer.register % 8];
  // The encoding of r12 has an additional byte. No compiler chooses it as the frame register.
  if (register === 4) return [];
  // lea rsp, [register + distance]
  const releases = [[prefix, 0x8d, 0xa0 + register, ...littleEndian(distance)]];
  if (distance >= -0x80 && distance < 0x80) releases.push([prefix, 0x8d, 0x60 + register, distance & 0xff]);
  // mov rsp, register
  if (distance === 0)
    releases.push([prefix, 0x8b, 0xe0 + register], [prefix === 0x48 ? 0x48 : 0x4c, 0x89, 0xc4 + 8 * register]);
  return releases;
}

function littleEndian(value: number): number[] {
  return [value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff, value >>> 24];
}

/** Returns the size of an instruction that leaves the function, in bytes; 0 for any other instruction. */
function measureExit(code: Uint8Array, at: number): number {
  const [first, second, third] = [code[at], code[at + 1], code[at + 2]];
  switch (first) {
    case 0xc3: // ret
      return 1;
    case 0xc2: // ret with an operand
      return 3;
    case 0xf2: // bnd ret
    case 0xf3: // rep ret
      return second === 0xc3 ? 2 : 0;
    case 0xeb: // jmp
      return second !== undefined && isOutside(code, at + 2 + ((second << 24) >> 24)) ? 2 : 0;
    case 0xe9:
      return at + 5 <= code.length && isOutside(code, at + 5 + readDistance(code, at + 1)) ? 5 : 0;
    case 0xff: // jmp [rip + …], to a function of another module
      return second === 0x25 ? 6 : 0;
    case 0x48: // Other jumps to a computed address have a prefix that they don't need, to mark them as exits.
    case 0x49:
      return second === 0xff && third !== undefined && (third & 0x38) === 0x20 ? 3 + operandSize(third) : 0;
    default:
      return 0;
  }
}

/** Returns how many bytes follow the byte that says where the operand of an instruction is. */
function operandSize(mode: number): number {
  const register = mode & 7;
  const hasIndex = mode < 0xc0 && register === 4 ? 1 : 0;
  switch (mode >>> 6) {
    case 0:
      return register === 5 ? 4 : hasIndex;
    case 1:
      return hasIndex + 1;
    case 2:
      return hasIndex + 4;
    default:
      return 0;
  }
}

function readDistance(code: Uint8Array, at: number): number {
  return code[at]! | (code[at + 1]! << 8) | (code[at + 2]! << 16) | (code[at + 3]! << 24);
}

/** Whether a jump goes to another function, or to the start of this one, which is a call of itself. */
function isOutside(code: Uint8Array, target: number): boolean {
  return target <= 0 || target >= code.length;
}
