// Collects the rows of a function: what changes from one instruction to the next.
import type { CallFrameRecord } from '../symbol-sink.ts';

/** Rules by register, such as `.cfa` → `sp 16 +`. */
export type Rules = ReadonlyMap<string, string>;

export class RowWriter {
  readonly record: CallFrameRecord;
  #current: Rules = new Map();

  constructor(address: number, size: number) {
    this.record = { address, size, rules: '', changes: [] };
  }

  /** Adds the rules that hold from an address on. Addresses must ascend; those after the function are ignored. */
  add(address: number, rules: Rules): void {
    const { record } = this;
    if (address >= record.address + record.size) return;
    const changes: string[] = [];
    for (const [register, rule] of rules) {
      if (this.#current.get(register) !== rule) changes.push(`${register}: ${rule}`);
    }
    // A rule stays until another one replaces it. A register without a rule has the caller's value.
    for (const register of this.#current.keys()) {
      if (!rules.has(register)) changes.push(`${register}: ${register}`);
    }
    this.#current = rules;
    if (changes.length === 0) return;
    if (address === record.address) record.rules = changes.join(' ');
    else record.changes.push({ address, rules: changes.join(' ') });
  }
}
