// Names for the codes of one long list, which is text until someone asks.

/**
 * Thousands of names by code. The text has a line for each: the code in decimal or as 0x… hex, a space, the name.
 * A process that never sees a Windows dump should not pay for the tables, so a table is one string until its first use.
 */
export class CodeNames {
  readonly #text: string;
  #names: ReadonlyMap<number, string> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** The name of `code`; undefined when the list has none. */
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
