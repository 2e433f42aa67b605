// The state while a mangled Swift name is read: the position, the stack of parts, and what later parts refer to.
import { type Node, unknownName } from './nodes.ts';
import { decodePunycode } from './punycode.ts';

/** dump_syms leaves names alone that would be longer. */
export const MAX_TEXT = 4095;
const MAX_NODES = 65_536;
const MAX_WORDS = 26;

export class NameParser {
  readonly #input: string;
  #at = 0;
  #pushed = 0;
  readonly stack: Node[] = [];
  readonly #substitutions: Node[] = [];
  readonly #words: string[] = [];

  constructor(input: string) {
    this.#input = input;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#input.length;
  }

  push(node: Node): void {
    this.#pushed += 1;
    if (node.text.length > MAX_TEXT || this.#pushed > MAX_NODES) unknownName();
    this.stack.push(node);
  }

  /** Removes the last node if it is of the kind. */
  take(kind: Node['kind']): Node | undefined {
    return this.stack.at(-1)?.kind === kind ? this.stack.pop() : undefined;
  }

  pop(kind: Node['kind']): Node {
    return this.take(kind) ?? unknownName();
  }

  popNominal(): Node {
    const node = this.pop('type');
    return node.nominal === undefined ? unknownName() : node;
  }

  next(): string {
    return this.#input[this.#at++] ?? unknownName();
  }

  peek(): string {
    return this.#input[this.#at] ?? '';
  }

  back(): void {
    this.#at -= 1;
  }

  nextIs(character: string): boolean {
    if (this.#input[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  /** Returns the match of a sticky expression at the position. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#input)?.[0];
    this.#at += match?.length ?? 0;
    return match;
  }

  remember(node: Node): Node {
    this.#substitutions.push(node);
    return node;
  }

  substitution(index: number): Node {
    return this.#substitutions[index] ?? unknownName();
  }

  natural(): number {
    return Number(this.match(/\d{1,6}/y) ?? unknownName());
  }

  index(): number {
    if (this.nextIs('_')) return 0;
    const number = this.natural();
    if (!this.nextIs('_')) unknownName();
    return number + 1;
  }

  /** Words of earlier names are written as letters, the last one as a capital. */
  identifier(): Node {
    let hasWords = this.nextIs('0');
    if (hasWords && this.nextIs('0')) return this.remember({ kind: 'identifier', text: this.#encodedText() });
    let text = '';
    do {
      while (hasWords && /[A-Za-z]/.test(this.peek())) {
        const letter = this.next();
        text += this.#words[letter.toLowerCase().charCodeAt(0) - 97] ?? unknownName();
        if (letter !== letter.toLowerCase()) hasWords = false;
      }
      if (this.nextIs('0')) break;
      const part = this.#characters(this.natural());
      text += part;
      this.#addWords(part);
    } while (hasWords);
    if (text.length > MAX_TEXT) unknownName();
    return this.remember({ kind: 'identifier', text });
  }

  #characters(length: number): string {
    const text = this.#input.slice(this.#at, this.#at + length);
    if (length === 0 || text.length < length) unknownName();
    this.#at += length;
    return text;
  }

  #encodedText(): string {
    const length = this.natural();
    this.nextIs('_');
    return decodePunycode(this.#characters(length));
  }

  #addWords(text: string): void {
    let start = -1;
    for (let at = 0; at <= text.length && this.#words.length < MAX_WORDS; at += 1) {
      const character = text[at];
      if (start >= 0 && endsWord(character, text[at - 1]!)) {
        if (at - start >= 2) this.#words.push(text.slice(start, at));
        start = -1;
      }
      if (start < 0 && character !== undefined && character !== '_' && !isDigit(character)) start = at;
    }
  }
}

export function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

function endsWord(character: string | undefined, before: string): boolean {
  return character === undefined || character === '_' || (!/[A-Z]/.test(before) && /[A-Z]/.test(character));
}
