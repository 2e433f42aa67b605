// Follows what the prologue of an x86_64 function of Windows does to its frame, and writes it as rules for the caller's
// registers.
import { REGISTERS, type Step, type UnwindInfo } from './x64-codes.ts';

const STACK_POINTER = 4;
/**
 * For an interrupt, the CPU pushes SS, RSP, RFLAGS, CS and RIP, and for some an error code. The numbers are depths: those
 * of RSP and RIP, counted from above SS.
 */
const INTERRUPT = { stackPointer: 16, instructionPointer: 40, errorCode: 48 };

/** Depths are in bytes below the CFA, which is the caller's stack pointer. */
type Slot = {
  depth: number;
  /** Whether the offset in the unwind code is relative to the frame register. */
  isByPointer: boolean;
};

export class Frame {
  /** How deep the stack pointer is. On entry, only the return address is there. */
  #depth = 8;
  /** The frame register and how deep it points; undefined while it still has the caller's value. */
  #pointer: { register: number; depth: number } | undefined;
  /** How deep the stack pointer was when the frame register was set. */
  #pointerBase: number | undefined;
  /** How deep the base is to which offsets in `save` steps are relative. */
  #saveBase = 0;
  #isInterrupt = false;
  readonly #saved = new Map<number, Slot>();
  #cfaChanged = true;
  #newlySaved: number[] = [];
  #isStarted = false;

  get isInterrupt(): boolean {
    return this.#isInterrupt;
  }

  /** How deep the stack pointer is. */
  get depth(): number {
    return this.#depth;
  }

  /** The frame register and how deep it points; undefined if there is none. */
  get pointer(): { register: number; depth: number } | undefined {
    return this.#pointer;
  }

  /** Runs a whole prologue. */
  run(info: UnwindInfo): void {
    this.begin(info);
    for (const step of info.steps) this.step(step, info);
  }

  /** Prepares for the steps of a prologue: offsets in them are relative to the frame as it is after the last one. */
  begin(info: UnwindInfo): void {
    let depth = this.#depth;
    for (const step of info.steps) {
      if (step.kind === 'push') depth += 8;
      else if (step.kind === 'allocate') depth += step.size;
      else if (step.kind === 'set-frame') this.#pointerBase = depth;
    }
    this.#saveBase = info.frameRegister === 0 ? depth : (this.#pointerBase ?? depth);
  }

  step(step: Step, info: UnwindInfo): void {
    switch (step.kind) {
      case 'push':
        this.#move(8);
        this.#save(step.register, { depth: this.#depth, isByPointer: false });
        break;
      case 'allocate':
        this.#move(step.size);
        break;
      case 'set-frame':
        this.#pointer = { register: info.frameRegister, depth: this.#depth - info.frameOffset };
        this.#cfaChanged = true;
        break;
      case 'save':
        this.#save(step.register, {
          depth: this.#saveBase - step.offset,
          isByPointer: this.#pointer !== undefined && info.frameRegister !== 0,
        });
        break;
      case 'machine-frame':
        this.#isInterrupt = true;
        this.#depth = step.hasErrorCode ? INTERRUPT.errorCode : INTERRUPT.instructionPointer;
        break;
    }
  }

  #move(size: number): void {
    this.#depth += size;
    if (this.#pointer === undefined) this.#cfaChanged = true;
  }

  #save(register: number, slot: Slot): void {
    // A register that was saved before has the caller's value there. That of the stack pointer is the CFA.
    if (register === STACK_POINTER || this.#saved.has(register)) return;
    this.#saved.set(register, slot);
    this.#newlySaved.push(register);
  }

  /** Whether the CFA is computed from the stack pointer at a depth. */
  isAt(depth: number): boolean {
    return this.#pointer === undefined && this.#depth === depth;
  }

  /** Returns the registers whose saved value is deeper than something, or found by the frame register. */
  savedBelow(depth: number): number[] {
    return [...this.#saved].filter(([, slot]) => slot.depth > depth || slot.isByPointer).map(([register]) => register);
  }

  /** Returns the rules of the CFA and of some registers that were saved. */
  rulesOf(registers: Iterable<number>): string[] {
    return [`.cfa: ${this.#address(0)}`, ...Array.from(registers, (register) => this.#rule(register))];
  }

  /** Returns the rules that changed since the last call, all in the first one, and '' if none did. */
  takeChanges(): string {
    const isFirst = !this.#isStarted;
    const changes = this.#cfaChanged ? [`.cfa: ${this.#address(0)}`] : [];
    for (const register of this.#newlySaved) changes.push(this.#rule(register));
    this.#isStarted = true;
    this.#cfaChanged = false;
    this.#newlySaved = [];
    if (changes.length === 0) return '';
    if (this.#isInterrupt) return this.#interruptRules();
    return [...changes, ...(isFirst ? ['.ra: .cfa 8 - ^'] : [])].join(' ');
  }

  /** The CFA is a value that the CPU saved, so it says nothing about where the frame is. */
  #interruptRules(): string {
    const rules = [`.cfa: ${this.#address(INTERRUPT.stackPointer)} ^`];
    for (const [register, { depth }] of this.#saved) rules.push(`${REGISTERS[register]}: ${this.#address(depth)} ^`);
    rules.push(`.ra: ${this.#address(INTERRUPT.instructionPointer)} ^`);
    return rules.join(' ');
  }

  #rule(register: number): string {
    const { depth, isByPointer } = this.#saved.get(register)!;
    return `${REGISTERS[register]}: ${isByPointer ? this.#address(depth) : `.cfa ${depth} -`} ^`;
  }

  /** Returns how to compute the address at a depth from a register. */
  #address(depth: number): string {
    const { register, depth: from } = this.#pointer ?? { register: STACK_POINTER, depth: this.#depth };
    return `${REGISTERS[register]} ${from - depth} +`;
  }
}
