// Collects the problems of a symbol file: the first few, and the number of all.

/** A skipped line and the reason. Lines are numbered from 1. */
export type SymbolProblem = { readonly line: number; readonly text: string };

/** A file with a million damaged lines usually has the same problem in all of them. */
const MAX_LISTED = 50;

export class Problems {
  /** The first problems. */
  readonly list: SymbolProblem[] = [];
  /** The number of all problems. */
  count = 0;

  add(line: number, text: string): void {
    this.count++;
    if (this.list.length < MAX_LISTED) this.list.push({ line, text });
  }
}
