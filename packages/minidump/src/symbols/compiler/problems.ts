// What was wrong with a symbol file: a count, and the first few in words.

/** A line that was left out, and why. Lines count from 1. */
export type SymbolProblem = { readonly line: number; readonly text: string };

/** A file of a million damaged lines has them all for the same reason. */
const KEPT = 50;

export class Problems {
  /** The first ones. */
  readonly list: SymbolProblem[] = [];
  /** All of them. */
  count = 0;

  add(line: number, text: string): void {
    this.count++;
    if (this.list.length < KEPT) this.list.push({ line, text });
  }
}
