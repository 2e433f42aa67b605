// The texts that a symbol cache was asked for lately: a stack leads to the same few functions again and again.

/** Characters that are kept, however they are spread; a single text has at most 256 KiB. */
const MAX_CHARACTERS = 1 << 18;

/** Texts by position. All frames of a recursion share one string, which may be long. */
export class TextMemo {
  readonly #texts = new Map<number, string>();
  #characters = 0;

  /** The text at `position`, which `read` reads unless it is kept. */
  get(position: number, read: () => string): string {
    const kept = this.#texts.get(position);
    if (kept !== undefined) return kept;
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

/** Short and empty texts take memory, too. */
const ENTRY_COST = 32;
