// Finds the prologues of x86 and x86_64 code. Compact unwind information only has the rules after a prologue, but a stack
// overflow usually happens in one.
import type { Rules } from '../windows-unwind/row-writer.ts';
import type { X86Cpu } from './x86.ts';

/** The rules from a position on, in bytes from the start of the code. */
export type Row = { position: number; rules: Rules };

/**
 * Returns the prologues in code whose functions all have the same frame. `body` has the rules after a prologue. The first
 * row of each has the rules before it, and the last row those of the body.
 *
 * A prologue consists of pushes, `mov rbp, rsp` after the first one if there is a frame pointer, and `sub rsp, n`. Without a
 * frame pointer, only a prologue at the start can be recognized.
 */
export function* findX86Prologues(code: Uint8Array, body: Rules, cpu: X86Cpu): Generator<Row[]> {
  for (const start of findStarts(code, body, cpu)) {
    const walk = new Walk(start, body, cpu);
    let size = 0;
    for (let at = start; !walk.isComplete; at += size) {
      size = walk.step(code, at);
      if (size === 0) break;
    }
    if (walk.isComplete) yield walk.rows;
  }
}

/** Returns where prologues can start. */
function* findStarts(code: Uint8Array, body: Rules, { framePointer, frameSetups }: X86Cpu): Generator<number> {
  if (!body.get('.cfa')?.startsWith(framePointer)) {
    yield isLandingPad(code) ? 4 : 0;
    return;
  }
  const bytes = Buffer.from(code.buffer, code.byteOffset, code.byteLength);
  const find = (form: Uint8Array, from: number) => {
    const at = bytes.indexOf(form, from);
    return at < 0 ? Number.POSITIVE_INFINITY : at;
  };
  const [first, second] = frameSetups;
  let [next, other] = [find(first, 0), find(second, 0)];
  for (;;) {
    const start = Math.min(next, other);
    if (start === Number.POSITIVE_INFINITY) return;
    yield start;
    if (next === start) next = find(first, start + 1);
    else other = find(second, start + 1);
  }
}

/** Whether code seems to call functions. It can be data that only looks like a call. */
export function hasX86Call(code: Uint8Array): boolean {
  return code.some((byte, at) => {
    // call with a distance of less than 16 MB
    if (byte === 0xe8) return code[at + 4] === 0 || code[at + 4] === 0xff;
    // call [address], call register
    return byte === 0xff && ((code[at + 1] ?? 0) === 0x15 || ((code[at + 1] ?? 0) & 0xf8) === 0xd0);
  });
}

/** endbr64 and endbr32 mark places where jumps may go. */
function isLandingPad(code: Uint8Array): boolean {
  return code[0] === 0xf3 && code[1] === 0x0f && code[2] === 0x1e && (code[3] === 0xfa || code[3] === 0xfb);
}

class Walk {
  readonly #body: Rules;
  readonly #cpu: X86Cpu;
  readonly rows: Row[];
  readonly #saved = new Map<string, string>();
  #depth: number;
  #hasPointer = false;

  constructor(start: number, body: Rules, cpu: X86Cpu) {
    this.#body = body;
    this.#cpu = cpu;
    this.#depth = cpu.wordSize;
    this.rows = [{ position: start, rules: this.#rules() }];
  }

  /** Whether the rules are those of the body. */
  get isComplete(): boolean {
    const { rules } = this.rows.at(-1)!;
    return rules.get('.cfa') === this.#body.get('.cfa') && rules.size === this.#body.size;
  }

  /** Follows the instruction at a position. Returns its size, or 0 if it isn't part of the prologue. */
  step(code: Uint8Array, at: number): number {
    const prefix = this.#cpu.wordSize === 8 && code[at] === 0x48 ? 1 : 0;
    const [first = 0, second = 0] = [code[at + prefix], code[at + prefix + 1]];
    const size = prefix === 0 ? this.#push(code, at) : 0;
    if (size > 0) return this.#addRow(at + size, size);
    const isWide = prefix === 1 || this.#cpu.wordSize === 4;
    const isMove = (first === 0x89 && second === 0xe5) || (first === 0x8b && second === 0xec);
    if (isWide && isMove && this.#depth === 2 * this.#cpu.wordSize) {
      this.#hasPointer = true;
      return this.#addRow(at + prefix + 2, prefix + 2);
    }
    if (!isWide || second !== 0xec) return 0;
    const operand = at + prefix + 2;
    if (first === 0x83 && operand < code.length) return this.#allocate(code[operand]!, at, prefix + 3);
    if (first !== 0x81 || operand + 4 > code.length) return 0;
    const allocated =
      code[operand]! | (code[operand + 1]! << 8) | (code[operand + 2]! << 16) | (code[operand + 3]! << 24);
    return this.#allocate(allocated, at, prefix + 6);
  }

  #push(code: Uint8Array, at: number): number {
    const extended = this.#cpu.wordSize === 8 && code[at] === 0x41 ? 1 : 0;
    const register = (code[at + extended] ?? 0) - 0x50;
    if (register < 0 || register > 7) return 0;
    this.#depth += this.#cpu.wordSize;
    const name =
      extended === 1
        ? `$r${register + 8}`
        : LOW_REGISTERS[register]!.replace('?', this.#cpu.wordSize === 8 ? 'r' : 'e');
    const rule = `.cfa ${-this.#depth} + ^`;
    // Other registers are pushed only to allocate memory.
    if (this.#body.get(name) === rule) this.#saved.set(name, rule);
    return extended + 1;
  }

  #allocate(allocated: number, at: number, size: number): number {
    if (allocated < 0 || allocated > 0x7fff_ffff) return 0;
    this.#depth += allocated;
    return this.#addRow(at + size, size);
  }

  #addRow(position: number, size: number): number {
    this.rows.push({ position, rules: this.#rules() });
    return size;
  }

  #rules(): Rules {
    const { wordSize, stackPointer, framePointer } = this.#cpu;
    return new Map([
      ['.cfa', this.#hasPointer ? `${framePointer} ${2 * wordSize} +` : `${stackPointer} ${this.#depth} +`],
      ['.ra', `.cfa ${-wordSize} + ^`],
      ...this.#saved,
    ]);
  }
}

const LOW_REGISTERS = ['$?ax', '$?cx', '$?dx', '$?bx', '$?sp', '$?bp', '$?si', '$?di'];
