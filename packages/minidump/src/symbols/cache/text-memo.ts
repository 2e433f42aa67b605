// Remembers recently read texts of a symbol cache: a stack often contains the same few functions.

/** The maximum number of characters in all texts together. A single text has at most 256 KiB. */
const MAX_CHARACTERS = 1 << 18;

/** Texts by position. All frames of a recursion share one string, which can be long. */
export class TextMemo {
  readonly #texts = new Map<number, string>();
  #characters = 0;

  /** Returns the text at `position`, calling `read` if it is not remembered. */
  get(position: number, read: () => string): string {
    const cached = this.#texts.get(position);
    if (cached !== undefined) return cached;
    const text = read();
    if (this.#characters + text.length > MAX_CHARACTERS) this.clear();
    this.#texts.set(position, text);
    this.#characters += text.length + ENTRY_COST;
    return text;
  }

  clear(): void {
    this.#texts.clear();
    this.#characters = 0;
  }
}

/** Added for each text, in characters: even an empty text needs memory. */
const ENTRY_COST = 32;
