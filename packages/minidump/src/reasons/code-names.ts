// Long tables of code names, parsed on first use.

/**
 * Names by code. The text has one line for each: the code in decimal or 0x… hex, a space, and the name. It is parsed on
 * first use, so a process that never reads a Windows dump does not pay for tables with thousands of names.
 */
export class CodeNames {
  readonly #text: string;
  #names: ReadonlyMap<number, string> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the name of `code`; undefined if the table has none. */
  get(code: number): string | undefined {
    this.#names ??= parse(this.#text);
    return this.#names.get(code);
  }
}

function parse(text: string): Map<number, string> {
  const names = new Map<number, string>();
  for (const line of text.trim().split('\n')) {
    const space = line.indexOf(' ');
    names.set(Number(line.slice(0, space)), line.slice(space + 1));
  }
  return names;
}
