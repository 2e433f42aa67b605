// Finds out from the source of a regular expression with which characters its matches can start. A search through many
// expressions skips most of them by the first character of the text.

const DIGITS = new Set(charactersBetween('0', '9'));
const WORD = new Set([...charactersBetween('A', 'Z'), ...charactersBetween('a', 'z'), ...DIGITS, '_']);
/** Characters of a source that don't begin or end a group, a class, an escape or an alternative. */
const PLAIN = /[^()[\\|]+/y;
const REPEAT = /(?:[?*+]|\{\d+(?:,\d*)?\})\??/y;
/** What follows the parenthesis of a group that isn't numbered. */
const GROUP_KIND = /\?(?::|<\w+>)/y;

/** The characters with which a part of an expression can start, and whether it also matches the empty text. */
type Start = { readonly characters: ReadonlySet<string>; readonly isOptional: boolean };

/** Thrown where the first character isn't worked out. It exists once, because collecting a stack takes long. */
const ANY_CHARACTER = new Error('A match can begin with any character.');

/**
 * Returns the UTF-16 units with which a match at the start of a text can begin, or undefined if it can begin with any
 * unit or be empty. The expression has no flags. Never leaves out a unit; may return undefined for a rare construct.
 */
export function firstCharactersOf({ source }: RegExp): ReadonlySet<string> | undefined {
  try {
    const { characters, isOptional } = new StartReader(source).read();
    return isOptional ? undefined : characters;
  } catch (error) {
    if (error === ANY_CHARACTER) return undefined;
    throw error;
  }
}

/** Reads the source of a valid expression from left to right. */
class StartReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Reads alternatives, up to the end of the group or of the source. */
  read(): Start {
    const characters = new Set<string>();
    let isOptional = false;
    do {
      const start = this.#readSequence();
      for (const character of start.characters) characters.add(character);
      isOptional ||= start.isOptional;
    } while (this.#take('|'));
    return { characters, isOptional };
  }

  #readSequence(): Start {
    const characters = new Set<string>();
    let isOptional = true;
    while (this.#at < this.#source.length && !this.#isNext('|') && !this.#isNext(')')) {
      const start: Start | undefined = isOptional ? this.#readRepeated() : this.#skipRepeated();
      for (const character of start?.characters ?? []) characters.add(character);
      isOptional &&= start?.isOptional ?? false;
    }
    return { characters, isOptional };
  }

  #readRepeated(): Start {
    const { characters, isOptional } = this.#readOne();
    const repeat = this.#readRepeat();
    return { characters, isOptional: isOptional || /^[?*]|^\{0/.test(repeat) };
  }

  /** Skips what comes after the first character, in which anything may occur. */
  #skipRepeated(): undefined {
    if (this.#isNext('(')) this.#skipGroup();
    else if (this.#isNext('[')) this.#skipClass();
    else this.#skipCharacters();
    return undefined;
  }

  /** Skips an escape, plain characters, or one other. */
  #skipCharacters(): void {
    if (this.#takeMatch(PLAIN) === '') this.#at += this.#isNext('\\') ? 2 : 1;
  }

  #skipGroup(): void {
    for (let depth = 0; ; ) {
      const character = this.#source[this.#at];
      if (character === '[') this.#skipClass();
      else this.#skipCharacters();
      if (character === '(') depth += 1;
      if (character === ')') depth -= 1;
      if (depth === 0) return;
    }
  }

  #skipClass(): void {
    while (!this.#isNext(']')) this.#at += this.#isNext('\\') ? 2 : 1;
    this.#at += 1;
  }

  #readRepeat(): string {
    return this.#takeMatch(REPEAT);
  }

  #readOne(): Start {
    const character = this.#source[this.#at++]!;
    if (character === '(') return this.#readGroup();
    if (character === '[') return { characters: this.#readClass(), isOptional: false };
    if (character === '\\') return { characters: this.#readEscape(), isOptional: false };
    // What matches a place rather than a character is as rare at the start as the dot.
    if ('.^$'.includes(character)) throw ANY_CHARACTER;
    return { characters: new Set([character]), isOptional: false };
  }

  #readGroup(): Start {
    const kind = this.#takeMatch(GROUP_KIND);
    // It looks ahead or behind, or changes the flags.
    if (kind === '' && this.#isNext('?')) throw ANY_CHARACTER;
    const start = this.read();
    this.#at += 1;
    return start;
  }

  #readEscape(): ReadonlySet<string> {
    const character = this.#source[this.#at++]!;
    if (character === 'w') return WORD;
    if (character === 'd') return DIGITS;
    // Other letters and numbers are kinds of characters, codes of characters, places or references.
    if (WORD.has(character)) throw ANY_CHARACTER;
    return new Set([character]);
  }

  #readClass(): ReadonlySet<string> {
    const characters = new Set<string>();
    if (this.#isNext('^')) throw ANY_CHARACTER;
    while (!this.#take(']')) {
      const from = this.#readClassPart();
      if (from.length === 1 && this.#isNext('-') && this.#source[this.#at + 1] !== ']') {
        this.#at += 1;
        const to = this.#readClassPart();
        if (to.length !== 1) throw ANY_CHARACTER;
        for (const character of charactersBetween(from[0]!, to[0]!)) characters.add(character);
      } else for (const character of from) characters.add(character);
    }
    return characters;
  }

  #readClassPart(): readonly string[] {
    if (this.#take('\\')) return [...this.#readEscape()];
    return [this.#source[this.#at++]!];
  }

  /** Takes what a sticky expression matches here; '' if nothing. */
  #takeMatch(expression: RegExp): string {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#source)?.[0] ?? '';
    this.#at += match.length;
    return match;
  }

  #take(character: string): boolean {
    const isNext = this.#isNext(character);
    if (isNext) this.#at += 1;
    return isNext;
  }

  #isNext(character: string): boolean {
    return this.#source[this.#at] === character;
  }
}

function charactersBetween(first: string, last: string): string[] {
  const [from, to] = [first.charCodeAt(0), last.charCodeAt(0)];
  return Array.from({ length: to - from + 1 }, (_, index) => String.fromCharCode(from + index));
}
