// Runs call frame instructions, and writes the rules as STACK CFI records have them (DWARF 5, section 6.4.2).
//
// Both reference converters leave out or misstate some rules. The rules here are what unwinding needs:
// - On CPUs with a link register, `.ra` is that register until it is saved. Mozilla's dump_syms writes no rule, with
//   which a stackwalker can't leave a leaf function.
// - A register that the epilogue has restored has itself as its rule. Without that, the rule of its stack slot stays,
//   which is below the stack pointer by then, and not in the dump. Mozilla's dump_syms writes no such rule, and
//   Breakpad's writes `.ra: .ra` for the return address, which names no register.
// - Rules with expressions that Breakpad's postfix notation has operators for are translated.
import type { Cursor } from '../cursor.ts';
import { translateExpression } from './frame-expressions.ts';
import type { FrameModule } from './frame-module.ts';

type CommonFacts = { readonly codeFactor: number; readonly dataFactor: number; readonly returnRegister: number };

/** The rule of the CFA, and those of registers by number. Undefined is a rule that can't be written. */
type State = { cfa: Cfa | undefined; readonly registers: Map<number, string | undefined> };
type Cfa = { readonly register: number; readonly offset: number } | { readonly expression: string };

const MAX_SAVED_STATES = 64;
/** A function has few changes. More than this are of a damaged file. */
const MAX_CHANGES = 100_000;

export class FrameRules {
  readonly #common: CommonFacts;
  readonly #module: FrameModule;
  #state: State = { cfa: undefined, registers: new Map() };
  #initial: ReadonlyMap<number, string | undefined> = new Map();
  #saved: State[] = [];
  #address: number;
  /** The rules as they were sent: the names with their text. */
  #sent: Map<string, string> | undefined;
  #first = '';
  readonly #changes: { address: number; rules: string }[] = [];
  /** Whether there may be another rule of a register since the last row. In most rows, only the CFA changes. */
  #hasNewRegisters = true;
  /** Whether the instructions were understood up to here. */
  #isKnown = true;

  constructor(common: CommonFacts, module: FrameModule, start: number) {
    this.#common = common;
    this.#module = module;
    this.#address = start;
  }

  /** Ends the instructions that all functions of the common entry share. */
  endCommon(): void {
    this.#initial = new Map(this.#state.registers);
  }

  send(start: number, size: number): void {
    this.#takeRow();
    const { sink, base } = this.#module;
    if (this.#sent === undefined) return;
    const end = start + size - base;
    const changes = this.#changes.filter(({ address }) => address < end);
    sink.callFrames({ address: start - base, size, rules: this.#first, changes });
  }

  run(cursor: Cursor): void {
    const { dataFactor } = this.#common;
    while (cursor.left > 0 && this.#isKnown) {
      const byte = cursor.u8();
      const operand = byte & 0x3f;
      switch (byte >> 6) {
        case 1:
          this.#advance(operand);
          continue;
        case 2:
          this.#setOffset(operand, cursor.uleb() * dataFactor);
          continue;
        case 3:
          this.#restore(operand);
          continue;
        default:
          this.#runExtended(byte, cursor);
      }
    }
  }

  #runExtended(opcode: number, cursor: Cursor): void {
    const { dataFactor } = this.#common;
    switch (opcode) {
      case 0x00:
        return;
      case 0x01:
        this.#moveTo(cursor.word(this.#module.addressSize === 8));
        return;
      case 0x02:
        this.#advance(cursor.u8());
        return;
      case 0x03:
        this.#advance(cursor.u16());
        return;
      case 0x04:
        this.#advance(cursor.u32());
        return;
      case 0x05:
        this.#setOffset(cursor.uleb(), cursor.uleb() * dataFactor);
        return;
      case 0x06:
        this.#restore(cursor.uleb());
        return;
      case 0x07:
        this.#setRule(cursor.uleb(), undefined);
        return;
      case 0x08:
        this.#setSame(cursor.uleb());
        return;
      case 0x09: {
        const register = cursor.uleb();
        this.#setRule(register, this.#nameOf(cursor.uleb()));
        return;
      }
      case 0x0a:
        if (this.#saved.length < MAX_SAVED_STATES)
          this.#saved.push({ cfa: this.#state.cfa, registers: new Map(this.#state.registers) });
        return;
      case 0x0b:
        this.#restoreState();
        return;
      case 0x0c:
        this.#state.cfa = { register: cursor.uleb(), offset: cursor.uleb() };
        return;
      case 0x0d:
        this.#changeCfa({ register: cursor.uleb() });
        return;
      case 0x0e:
        this.#changeCfa({ offset: cursor.uleb() });
        return;
      case 0x0f: {
        const expression = this.#translate(cursor);
        this.#state.cfa = expression === undefined ? undefined : { expression };
        return;
      }
      case 0x10:
      case 0x16: {
        const register = cursor.uleb();
        const expression = this.#translate(cursor, '.cfa');
        const rule = expression !== undefined && opcode === 0x10 ? `${expression} ^` : expression;
        this.#setRule(register, rule);
        return;
      }
      case 0x11:
        this.#setOffset(cursor.uleb(), cursor.sleb() * dataFactor);
        return;
      case 0x12:
        this.#state.cfa = { register: cursor.uleb(), offset: cursor.sleb() * dataFactor };
        return;
      case 0x13:
        this.#changeCfa({ offset: cursor.sleb() * dataFactor });
        return;
      case 0x14:
      case 0x15: {
        const register = cursor.uleb();
        const offset = (opcode === 0x14 ? cursor.uleb() : cursor.sleb()) * dataFactor;
        this.#setRule(register, `.cfa ${offset} +`);
        return;
      }
      case 0x2d:
        // On arm64, the return address is signed from here on, or not anymore, which changes no rule.
        return;
      case 0x2e:
        // The size of the arguments of a call.
        cursor.uleb();
        return;
      case 0x2f:
        this.#setOffset(cursor.uleb(), -cursor.uleb() * dataFactor);
        return;
      default:
        // The rest can't be skipped without knowing this instruction.
        this.#isKnown = false;
    }
  }

  #advance(units: number): void {
    this.#moveTo(this.#address + units * this.#common.codeFactor);
  }

  #moveTo(address: number): void {
    if (address === this.#address) return;
    this.#takeRow();
    this.#address = address;
  }

  #changeCfa(change: { register?: number; offset?: number }): void {
    const { cfa } = this.#state;
    if (cfa === undefined || 'expression' in cfa) {
      this.#isKnown = this.#isKnown && cfa !== undefined;
      return;
    }
    this.#state.cfa = { ...cfa, ...change };
  }

  #setOffset(register: number, offset: number): void {
    this.#setRule(register, `.cfa ${offset} + ^`);
  }

  #setRule(register: number, rule: string | undefined): void {
    this.#state.registers.set(register, rule);
    this.#hasNewRegisters = true;
  }

  #setSame(register: number): void {
    this.#state.registers.delete(register);
    this.#hasNewRegisters = true;
  }

  #restore(register: number): void {
    if (this.#initial.has(register)) this.#setRule(register, this.#initial.get(register));
    else this.#setSame(register);
  }

  #restoreState(): void {
    const saved = this.#saved.pop();
    if (saved === undefined) this.#isKnown = false;
    else this.#state = saved;
    this.#hasNewRegisters = true;
  }

  #nameOf(register: number): string | undefined {
    return this.#module.registers[register];
  }

  #translate(cursor: Cursor, initial?: string): string | undefined {
    const expression = cursor.take(cursor.uleb());
    return translateExpression(expression, this.#module, initial);
  }

  /** Notes what has changed since the last row. */
  #takeRow(): void {
    if (!this.#isKnown || this.#changes.length >= MAX_CHANGES) return;
    if (this.#sent !== undefined && !this.#hasNewRegisters) {
      this.#takeCfa(this.#sent);
      return;
    }
    const rules = this.#rulesNow();
    if (rules === undefined) return;
    this.#hasNewRegisters = false;
    const changed: string[] = [];
    for (const [name, rule] of rules) if (this.#sent?.get(name) !== rule) changed.push(`${name}: ${rule}`);
    for (const name of this.#sent?.keys() ?? []) {
      if (rules.has(name)) continue;
      const restored = this.#isLost(name) ? this.#sent!.get(name)! : this.#restoredRule(name);
      rules.set(name, restored);
      if (this.#sent?.get(name) !== restored) changed.push(`${name}: ${restored}`);
    }
    if (this.#sent === undefined) this.#first = changed.join(' ');
    else if (changed.length > 0) {
      const address = this.#address - this.#module.base;
      this.#changes.push({ address, rules: changed.join(' ') });
    }
    this.#sent = rules;
  }

  #takeCfa(sent: Map<string, string>): void {
    const text = this.#cfaText();
    if (text === undefined || sent.get('.cfa') === text) return;
    sent.set('.cfa', text);
    this.#changes.push({ address: this.#address - this.#module.base, rules: `.cfa: ${text}` });
  }

  /** Whether a register has an unknown value, which no rule can say. The rule before stays. */
  #isLost(name: string): boolean {
    for (const [register, rule] of this.#state.registers)
      if (rule === undefined && this.#ruleName(register) === name) return true;
    return name === '.ra' && this.#module.linkRegister === undefined;
  }

  #ruleName(register: number): string | undefined {
    return register === this.#common.returnRegister ? '.ra' : this.#nameOf(register);
  }

  /** The rule of a register that has its value again. */
  #restoredRule(name: string): string {
    if (name !== '.ra') return name;
    const { linkRegister, registers } = this.#module;
    return registers[linkRegister ?? this.#common.returnRegister] ?? name;
  }

  /** Undefined if the CFA has no rule that can be written. */
  #rulesNow(): Map<string, string> | undefined {
    const { registers } = this.#state;
    const { linkRegister } = this.#module;
    const { returnRegister } = this.#common;
    const cfaText = this.#cfaText();
    if (cfaText === undefined) return undefined;
    const rules = new Map([['.cfa', cfaText]]);
    if (!registers.has(returnRegister) && linkRegister === returnRegister)
      rules.set('.ra', this.#nameOf(returnRegister)!);
    for (const [register, rule] of registers) {
      const name = this.#ruleName(register);
      if (name !== undefined && rule !== undefined) rules.set(name, rule);
    }
    return rules;
  }

  #cfaText(): string | undefined {
    const { cfa } = this.#state;
    if (cfa === undefined || 'expression' in cfa) return cfa?.expression;
    const name = this.#nameOf(cfa.register);
    return name && `${name} ${cfa.offset} +`;
  }
}
