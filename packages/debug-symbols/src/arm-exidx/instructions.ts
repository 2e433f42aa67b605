// Explains the unwind instructions of 32-bit ARM: a program of bytes that undoes a prologue. They are listed in Arm's
// "Exception Handling ABI for the Arm Architecture", "Frame unwinding instructions".

const STACK_POINTER = 13;
const LINK_REGISTER = 14;
const PROGRAM_COUNTER = 15;
const NAMES = ['r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8', 'r9', 'r10', 'r11', 'r12', 'sp', 'lr', 'pc'];

/** A place in the frame: so many bytes above what a register points to. */
type Place = { register: number; offset: number };

/**
 * Returns the rules for the function, after its prologue. Returns undefined if the instructions refuse to unwind, or if they
 * are damaged.
 */
export function describeInstructions(code: Uint8Array): string | undefined {
  const frame = new Frame();
  for (let at = 0; at < code.length; ) {
    const size = instructionSize(code, at);
    if (code[at] === 0xb0) break;
    if (size === 0 || at + size > code.length || !runInstruction(frame, code.subarray(at, at + size))) return undefined;
    at += size;
  }
  return frame.rules();
}

/** Returns the size of an instruction in bytes; 0 if it is unknown. */
function instructionSize(code: Uint8Array, at: number): number {
  const first = code[at]!;
  if ((first & 0xf0) === 0x80) return 2;
  if (first < 0xb0) return 1;
  if (first === 0xb1 || first === 0xb3) return 2;
  if (first === 0xb2) {
    // The operand is a ULEB128 number. A frame needs five bytes of it at most.
    let size = 2;
    while (size <= 6 && (code[at + size - 1] ?? 0) >= 0x80) size++;
    return size <= 6 ? size : 0;
  }
  if (first < 0xc6) return first === 0xb6 || first === 0xb7 ? 0 : 1;
  if (first <= 0xc9) return 2;
  return first >= 0xd0 && first < 0xd8 ? 1 : 0;
}

/** Returns false for an instruction that refuses to unwind, or that compilers don't generate. */
function runInstruction(frame: Frame, code: Uint8Array): boolean {
  const first = code[0]!;
  const next = code[1] ?? 0;
  if (first < 0x40) frame.skip((first & 0x3f) * 4 + 4);
  else if (first < 0x80) frame.skip(-((first & 0x3f) * 4 + 4));
  else if (first < 0x90) return frame.pop((((first & 0xf) << 8) | next) << 4);
  else if (first < 0xa0) return frame.moveTo(first & 0xf);
  else if (first < 0xb0) return frame.pop(popMask(first));
  else if (first === 0xb1) return next < 0x10 && frame.pop(next);
  else if (first === 0xb2) frame.skip(0x204 + readUleb(code.subarray(1)) * 4);
  else frame.skip(otherRegistersSize(first, next));
  return true;
}

/** 10100nnn: r4 to r4 + n. 10101nnn: the link register as well. */
function popMask(first: number): number {
  const registers = ((1 << ((first & 7) + 1)) - 1) << 4;
  return first & 8 ? registers | (1 << LINK_REGISTER) : registers;
}

/** Returns how much stack registers take that symbol files have no rules for: those of floating-point units. */
function otherRegistersSize(first: number, next: number): number {
  const count = (next & 0xf) + 1;
  switch (first) {
    case 0xb3: // Registers of VFP, stored with an additional word
      return count * 8 + 4;
    case 0xb4: // The code that authenticates the return address
      return 4;
    case 0xb5: // The stack pointer is what the return address was signed with
      return 0;
    case 0xc6: // iWMMXt
    case 0xc8: // VFP
    case 0xc9:
      return count * 8;
    case 0xc7: // Control registers of iWMMXt
      return 4 * countBits(next & 0xf);
    default:
      return ((first & 7) + 1) * 8 + (first < 0xc0 ? 4 : 0);
  }
}

function countBits(value: number): number {
  let count = 0;
  for (let rest = value; rest !== 0; rest &= rest - 1) count++;
  return count;
}

function readUleb(bytes: Uint8Array): number {
  let value = 0;
  for (const [index, byte] of bytes.entries()) value += (byte & 0x7f) * 2 ** (7 * index);
  return value;
}

class Frame {
  /** Where the next word to pop is. */
  #position: Place = { register: STACK_POINTER, offset: 0 };
  readonly #saved = new Map<number, Place>();

  skip(size: number): void {
    this.#position = { ...this.#position, offset: this.#position.offset + size };
  }

  /** Pops registers, the lowest one first. Popping none means that the function cannot be unwound. */
  pop(mask: number): boolean {
    const { register: base } = this.#position;
    let { offset } = this.#position;
    for (let register = 0; register < NAMES.length; register++) {
      if ((mask & (1 << register)) === 0) continue;
      this.#saved.set(register, { register: base, offset });
      offset += 4;
    }
    // A popped stack pointer says where the caller's frame is, which would need the value itself.
    if (mask === 0 || mask & (1 << STACK_POINTER)) return false;
    this.#position = { register: base, offset };
    return true;
  }

  /** Continues where a register points to, usually the frame pointer. */
  moveTo(register: number): boolean {
    // The value of a register that was popped before would be the caller's.
    if (register === STACK_POINTER || register === PROGRAM_COUNTER || this.#saved.has(register)) return false;
    this.#position = { register, offset: 0 };
    return true;
  }

  rules(): string {
    const { register, offset } = this.#position;
    const rules = [`.cfa: ${NAMES[register]} ${offset} +`];
    for (const [saved, place] of this.#saved) {
      if (saved < STACK_POINTER) rules.push(`${NAMES[saved]}: ${this.#load(place)}`);
    }
    const returnPlace = this.#saved.get(PROGRAM_COUNTER) ?? this.#saved.get(LINK_REGISTER);
    rules.push(`.ra: ${returnPlace === undefined ? 'lr' : this.#load(returnPlace)}`);
    return rules.join(' ');
  }

  #load({ register, offset }: Place): string {
    const { register: base, offset: top } = this.#position;
    return register === base ? `.cfa ${offset - top} + ^` : `${NAMES[register]} ${offset} + ^`;
  }
}
