// Readable names of Swift functions, from the names that compilers since Swift 4.2 write (docs/ABI/Mangling.rst in its
// repository). They have the modules, types and labels, but neither the types of parameters nor generic arguments.
// Names with parts that are rare stay mangled, rather than being guessed.
// cspell:ignore BSLQ URNCDT KUTC owup ikut niedgosx ndgosx addressors addressor ooptwc

import {
  ACCESSORS,
  ADDRESSORS,
  ATTRIBUTES,
  CONCURRENCY,
  CONCURRENCY_PROTOCOLS,
  METADATA,
  OPERATORS,
  OUTLINED,
  RESUMES,
  STANDARD,
  STANDARD_ENUMS,
  STANDARD_PROTOCOLS,
  THUNKS,
  VALUE_WITNESSES,
} from './tables.ts';

const PREFIX = /^_?\$[sS]/;
/** Longer names are of machine-made code. */
const MAX_LENGTH = 32_768;
const MAX_TEXT = 65_536;
const MAX_REPEATS = 1000;
const MAX_WORDS = 26;

/** What the parts of a name say. Later parts take earlier ones from a stack. */
type Node = {
  readonly kind:
    | 'identifier'
    | 'declaration'
    | 'module'
    | 'type'
    | 'entity'
    | 'empty'
    | 'first'
    | 'variadic'
    | 'annotation'
    | 'signature'
    | 'requirement'
    | 'attribute';
  readonly text: string;
  /** A nominal type has a name and a place; others are only types of values. */
  readonly nominal?: 'class' | 'struct' | 'enum' | 'protocol' | 'alias';
  /** Their number, for the type of a function. */
  readonly parameters?: number;
  /** The number of values of a tuple. */
  readonly values?: number;
  /** Whether names are in it as `name in it`, and not as `it.name`. */
  readonly isLocal?: boolean;
  /** The number of a local name, which comes after it. */
  readonly number?: string;
};

/** The name can't be read. */
class UnknownName extends Error {}

/** Undefined for a name that isn't of Swift, or has unknown parts. */
export function demangleSwift(name: string): string | undefined {
  const prefix = PREFIX.exec(name)?.[0];
  if (prefix === undefined || name.length > MAX_LENGTH) return undefined;
  const dot = name.indexOf('.', prefix.length);
  const mangled = name.slice(prefix.length, dot < 0 ? undefined : dot);
  try {
    const text = new Demangler(mangled).run();
    return dot < 0 ? text : `${text} (${name.slice(dot)})`;
  } catch (error) {
    if (error instanceof UnknownName) return undefined;
    throw error;
  }
}

const EMPTY: Node = { kind: 'empty', text: '' };
const FIRST: Node = { kind: 'first', text: '_' };
const VARIADIC: Node = { kind: 'variadic', text: '' };
const SIGNATURE: Node = { kind: 'signature', text: '' };
const REQUIREMENT: Node = { kind: 'requirement', text: '' };
const ANNOTATION: Node = { kind: 'annotation', text: '' };
const OTHER_TYPE: Node = { kind: 'type', text: '' };

const NOMINAL = { C: 'class', O: 'enum', P: 'protocol', V: 'struct', a: 'alias' } as const;

class Demangler {
  readonly #input: string;
  #at = 0;
  readonly #stack: Node[] = [];
  readonly #substitutions: Node[] = [];
  readonly #words: string[] = [];

  constructor(input: string) {
    this.#input = input;
  }

  run(): string {
    while (this.#at < this.#input.length) this.#push(this.#operator());
    let prefix = '';
    for (let top = this.#take('attribute'); top !== undefined; top = this.#take('attribute')) prefix += top.text;
    const [only, ...others] = this.#stack;
    if (only?.kind !== 'entity' || others.length > 0) throw new UnknownName();
    return prefix + only.text;
  }

  #push(node: Node): void {
    if (node.text.length > MAX_TEXT) throw new UnknownName();
    this.#stack.push(node);
  }

  /** Removes the last node if it is of the kind. */
  #take(kind: Node['kind']): Node | undefined {
    return this.#stack.at(-1)?.kind === kind ? this.#stack.pop() : undefined;
  }

  #pop(kind: Node['kind']): Node {
    const node = this.#take(kind);
    if (node === undefined) throw new UnknownName();
    return node;
  }

  #next(): string {
    const character = this.#input[this.#at++];
    if (character === undefined) throw new UnknownName();
    return character;
  }

  #nextIs(character: string): boolean {
    if (this.#input[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #substitutable(node: Node): Node {
    this.#substitutions.push(node);
    return node;
  }

  #operator(): Node {
    const character = this.#next();
    switch (character) {
      case 'A':
        return this.#substitution();
      case 'B':
        return this.#builtin();
      case 'C':
      case 'O':
      case 'P':
      case 'V':
      case 'a':
        return this.#nominal(NOMINAL[character]);
      case 'E':
        return this.#extension();
      case 'F':
        return this.#function();
      case 'G':
        return this.#boundGeneric();
      case 'K':
        return ANNOTATION;
      case 'L':
        return this.#local();
      case 'M':
        return this.#metadata();
      case 'Q':
        return this.#archetype();
      case 'R':
        return this.#requirement();
      case 'S':
        return this.#standard();
      case 'T':
        return this.#thunk();
      case 'W':
        return this.#witness();
      case 'X':
        return this.#specialType();
      case 'Y':
        return this.#typeAnnotation();
      case 'Z':
        return { kind: 'entity', text: `static ${this.#pop('entity').text}`, isLocal: true };
      case 'c':
        return this.#functionType();
      case 'd':
        return VARIADIC;
      case 'f':
        return this.#functionEntity();
      case 'h':
      case 'n':
      case 'z':
      case 'm':
        // These say how a type is passed, or stand for the type of a type.
        this.#pop('type');
        return OTHER_TYPE;
      case 'i':
        return this.#subscript();
      case 'l':
        return this.#signature(false);
      case 'r':
        return this.#signature(true);
      case 'o':
        return this.#operatorName();
      case 'p':
        return this.#protocolList();
      case 'q':
        this.#genericParameter();
        return OTHER_TYPE;
      case 's':
        return { kind: 'module', text: 'Swift' };
      case 't':
        return this.#tuple();
      case 'u':
        this.#pop('signature');
        return this.#pop('type');
      case 'v':
        return this.#variable();
      case 'w':
        return this.#valueWitness();
      case 'x':
        return OTHER_TYPE;
      case 'y':
        return EMPTY;
      case '_':
        return FIRST;
      default:
        if (!isDigit(character)) throw new UnknownName();
        this.#at -= 1;
        return this.#identifier();
    }
  }

  #natural(): number {
    const digits = /\d{1,6}/y;
    digits.lastIndex = this.#at;
    const found = digits.exec(this.#input)?.[0];
    if (found === undefined) throw new UnknownName();
    this.#at += found.length;
    return Number(found);
  }

  #index(): number {
    if (this.#nextIs('_')) return 0;
    const number = this.#natural();
    if (!this.#nextIs('_')) throw new UnknownName();
    return number + 1;
  }

  /** Words of earlier names are written as letters, the last one as a capital. */
  #identifier(): Node {
    let hasWords = this.#nextIs('0');
    // Names outside of ASCII.
    if (hasWords && this.#nextIs('0')) throw new UnknownName();
    let text = '';
    do {
      while (hasWords && /^[A-Za-z]/.test(this.#input.slice(this.#at, this.#at + 1))) {
        const letter = this.#next();
        const word = this.#words[letter.toLowerCase().charCodeAt(0) - 97];
        if (word === undefined) throw new UnknownName();
        text += word;
        if (letter !== letter.toLowerCase()) hasWords = false;
      }
      if (this.#nextIs('0')) break;
      const length = this.#natural();
      const part = this.#input.slice(this.#at, this.#at + length);
      if (length === 0 || part.length < length) throw new UnknownName();
      this.#at += length;
      text += part;
      this.#addWords(part);
    } while (hasWords);
    if (text === '' || text.length > MAX_TEXT) throw new UnknownName();
    return this.#substitutable({ kind: 'identifier', text });
  }

  #addWords(text: string): void {
    let start = -1;
    for (let at = 0; at <= text.length; at += 1) {
      const character = text[at];
      if (start >= 0 && endsWord(character, text[at - 1]!)) {
        if (at - start >= 2 && this.#words.length < MAX_WORDS) this.#words.push(text.slice(start, at));
        start = -1;
      }
      if (start < 0 && character !== undefined && character !== '_' && !isDigit(character)) start = at;
    }
  }

  #substitution(): Node {
    let repeats = 1;
    for (;;) {
      const character = this.#next();
      if (isDigit(character)) {
        this.#at -= 1;
        repeats = this.#natural();
        if (repeats > MAX_REPEATS) throw new UnknownName();
        if (this.#nextIs('_')) return this.#substitutionAt(repeats + 27);
        continue;
      }
      if (character === '_') return this.#substitutionAt(26);
      if (!/[A-Za-z]/.test(character)) throw new UnknownName();
      const node = this.#substitutionAt(character.toLowerCase().charCodeAt(0) - 97);
      for (; repeats > 1; repeats -= 1) this.#push(node);
      repeats = 1;
      if (character !== character.toLowerCase()) return node;
      this.#push(node);
    }
  }

  #substitutionAt(index: number): Node {
    const node = this.#substitutions[index];
    if (node === undefined) throw new UnknownName();
    return node;
  }

  #standard(): Node {
    if (this.#nextIs('o')) return { kind: 'module', text: '__C' };
    if (this.#nextIs('C')) return { kind: 'module', text: '__C_Synthesized' };
    if (this.#nextIs('g')) {
      this.#pop('type');
      return this.#substitutable({ kind: 'type', text: 'Swift.Optional', nominal: 'enum' });
    }
    const repeats = isDigit(this.#input[this.#at] ?? '') ? this.#natural() : 1;
    if (repeats > MAX_REPEATS) throw new UnknownName();
    const isConcurrency = this.#nextIs('c');
    const letter = this.#next();
    const type = (isConcurrency ? CONCURRENCY : STANDARD)[letter];
    const protocol = (isConcurrency ? CONCURRENCY_PROTOCOLS : STANDARD_PROTOCOLS)[letter];
    const name = type ?? protocol;
    if (name === undefined) throw new UnknownName();
    const nominal = type === undefined ? 'protocol' : STANDARD_ENUMS.includes(name) ? 'enum' : 'struct';
    const node: Node = { kind: 'type', text: `Swift.${name}`, nominal };
    for (let left = repeats; left > 1; left -= 1) this.#push(node);
    return node;
  }

  #builtin(): Node {
    const letter = this.#next();
    if (letter === 'f' || letter === 'i') this.#index();
    else if (!'bBIOoptwcDdeT'.includes(letter)) throw new UnknownName();
    return OTHER_TYPE;
  }

  #nominal(nominal: NonNullable<Node['nominal']>): Node {
    const node = { kind: 'type', ...this.#named(''), nominal } as const;
    return this.#substitutable(node);
  }

  /** The name that was read last, in its context. `rest` are the labels of a function. */
  #named(rest: string): { text: string; isLocal: boolean } {
    const name = this.#declarationName();
    const context = this.#context();
    const own = name.number === undefined ? name.text + rest : `${name.text} #${name.number}${rest && ` ${rest}`}`;
    return inContext(own, context, name.number !== undefined);
  }

  #declarationName(): Node {
    return this.#take('declaration') ?? this.#pop('identifier');
  }

  #context(): Node {
    const identifier = this.#take('identifier');
    if (identifier !== undefined) return { kind: 'module', text: identifier.text };
    const type = this.#take('type');
    if (type !== undefined) {
      if (type.nominal === undefined) throw new UnknownName();
      return type;
    }
    return this.#take('entity') ?? this.#pop('module');
  }

  #module(): Node {
    return this.#take('identifier') ?? this.#pop('module');
  }

  /** An extension in another module is shown as the type that it extends. */
  #extension(): Node {
    this.#take('signature');
    this.#module();
    const type = this.#pop('type');
    if (type.nominal === undefined) throw new UnknownName();
    return type;
  }

  #boundGeneric(): Node {
    do while (this.#take('type'));
    while (this.#take('empty') === undefined && this.#pop('first') !== undefined);
    const type = this.#pop('type');
    if (type.nominal === undefined) throw new UnknownName();
    return this.#substitutable(type);
  }

  #functionType(): Node {
    while (this.#take('annotation'));
    const parameters = this.#parameters();
    this.#parameters();
    return { kind: 'type', text: '', parameters };
  }

  /** The number of parameters, or of values of a result. */
  #parameters(): number {
    if (this.#take('empty')) return 0;
    return this.#pop('type').values ?? 1;
  }

  #tuple(): Node {
    let count = 0;
    if (this.#take('empty') === undefined) {
      for (let isFirst = false; !isFirst; count += 1) {
        isFirst = this.#take('first') !== undefined;
        this.#take('variadic');
        this.#take('identifier');
        this.#pop('type');
      }
    }
    return { kind: 'type', text: '', values: count };
  }

  /** Such as `(delta:_:)`. */
  #labels(parameters: number): string {
    if (this.#take('empty')) return `(${'_:'.repeat(parameters)})`;
    const labels: string[] = [];
    for (let left = parameters; left > 0; left -= 1) labels.push((this.#take('first') ?? this.#pop('identifier')).text);
    return `(${labels
      .reverse()
      .map((label) => `${label}:`)
      .join('')})`;
  }

  #function(): Node {
    this.#take('signature');
    const { parameters = 0 } = this.#functionType();
    return { kind: 'entity', ...this.#named(this.#labels(parameters)), isLocal: true };
  }

  #variable(): Node {
    const { parameters } = this.#pop('type');
    // Types of functions have labels here, too.
    if (parameters !== undefined) this.#take('empty');
    const { text } = this.#named('');
    return this.#accessor(text);
  }

  #subscript(): Node {
    this.#take('declaration');
    const labels = this.#labels(this.#pop('type').parameters ?? 1);
    return this.#accessor(inContext(`subscript${labels}`, this.#context(), false).text);
  }

  #accessor(of: string): Node {
    const letter = this.#next();
    if (letter === 'p') return { kind: 'entity', text: of, isLocal: true };
    let name = ACCESSORS[letter];
    if ((letter === 'a' || letter === 'l') && ADDRESSORS.includes(this.#next()))
      name = letter === 'a' ? 'unsafeMutableAddressor' : 'unsafeAddressor';
    if (name === undefined) throw new UnknownName();
    return { kind: 'entity', text: `${of}.${name}`, isLocal: true };
  }

  #functionEntity(): Node {
    const letter = this.#next();
    const entity = (text: string): Node => ({ kind: 'entity', text, isLocal: true });
    switch (letter) {
      case 'C':
      case 'c': {
        this.#take('declaration');
        const labels = this.#labels(this.#pop('type').parameters ?? 1);
        const context = this.#context();
        const name = letter === 'C' && context.nominal === 'class' ? '__allocating_init' : 'init';
        return entity(inContext(name + labels, context, false).text);
      }
      case 'D':
        return entity(inContext('__deallocating_deinit', this.#context(), false).text);
      case 'd':
        return entity(inContext('deinit', this.#context(), false).text);
      case 'i':
        return entity(`variable initialization expression of ${this.#context().text}`);
      case 'U':
      case 'u': {
        const number = this.#index() + 1;
        this.#pop('type');
        return entity(`${letter === 'U' ? '' : 'implicit '}closure #${number} in ${this.#context().text}`);
      }
      case 'A':
        return entity(`default argument ${this.#index()} of ${this.#context().text}`);
      default:
        throw new UnknownName();
    }
  }

  /** Private names have the hash of their file, and local ones a number. */
  #local(): Node {
    if (this.#nextIs('L')) {
      this.#pop('identifier');
      return { kind: 'declaration', text: this.#declarationName().text };
    }
    if (!/^[\d_]/.test(this.#input.slice(this.#at, this.#at + 1))) throw new UnknownName();
    const number = String(this.#index() + 1);
    return { kind: 'declaration', text: this.#declarationName().text, number };
  }

  #operatorName(): Node {
    const letters = this.#pop('identifier').text;
    const text = [...letters].map((letter) => OPERATORS[letter] ?? (letter > '\x7f' ? letter : '\0')).join('');
    const fix = this.#next();
    if (text.includes('\0') || !'ipP'.includes(fix)) throw new UnknownName();
    return { kind: 'declaration', text: `${text} ${{ i: 'infix', p: 'prefix', P: 'postfix' }[fix]}` };
  }

  #protocolList(): Node {
    if (this.#take('empty') === undefined) {
      for (let isFirst = false; !isFirst; ) {
        isFirst = this.#take('first') !== undefined;
        this.#protocol();
      }
    }
    return OTHER_TYPE;
  }

  #protocol(): Node {
    const type = this.#take('type');
    if (type === undefined) return { kind: 'type', ...this.#named(''), nominal: 'protocol' };
    if (type.nominal !== 'protocol') throw new UnknownName();
    return type;
  }

  #genericParameter(): void {
    if (this.#nextIs('z')) return;
    if (this.#nextIs('d')) this.#index();
    this.#index();
  }

  #signature(hasCounts: boolean): Node {
    while (hasCounts && !this.#nextIs('l')) if (!this.#nextIs('z')) this.#index();
    while (this.#take('requirement'));
    return SIGNATURE;
  }

  #requirement(): Node {
    const letter = this.#next();
    const isKnown = 'cCbBtTsSmMlLpPQ'.includes(letter);
    if (!isKnown) this.#at -= 1;
    if ('BSLQ'.includes(letter)) this.#pop('type');
    else {
      this.#genericParameter();
      if ('ctmp'.includes(letter)) this.#associatedType(false);
      if ('CTMP'.includes(letter)) this.#associatedType(true);
    }
    if ('cCbBtTsS'.includes(letter)) this.#pop('type');
    else if ('mMlL'.includes(letter)) {
      if (!'URNCDT'.includes(this.#next())) throw new UnknownName();
    } else this.#protocol();
    return REQUIREMENT;
  }

  #associatedType(isCompound: boolean): Node {
    for (let isFirst = false; !isFirst; ) {
      isFirst = !isCompound || this.#take('first') !== undefined;
      if (this.#stack.at(-1)?.kind === 'type' && this.#pop('type').nominal !== 'protocol') throw new UnknownName();
      this.#pop('identifier');
    }
    return this.#substitutable(OTHER_TYPE);
  }

  #archetype(): Node {
    const letter = this.#next();
    switch (letter) {
      case 'a':
        this.#pop('identifier');
        this.#pop('type');
        return this.#substitutable(OTHER_TYPE);
      case 'r':
        return OTHER_TYPE;
      case 'y':
      case 'Y':
        this.#genericParameter();
        return this.#associatedType(letter === 'Y');
      case 'z':
      case 'Z':
        return this.#associatedType(letter === 'Z');
      default:
        throw new UnknownName();
    }
  }

  #specialType(): Node {
    const letter = this.#next();
    if ('EABbfKUTC'.includes(letter)) return this.#functionType();
    if (letter === 'l') return this.#protocolList();
    if (!'owup'.includes(letter)) throw new UnknownName();
    this.#pop('type');
    return OTHER_TYPE;
  }

  #typeAnnotation(): Node {
    const letter = this.#next();
    if ('cK'.includes(letter)) this.#pop('type');
    if ('abcKAT'.includes(letter)) return ANNOTATION;
    if (!'ikut'.includes(letter)) throw new UnknownName();
    this.#pop('type');
    return OTHER_TYPE;
  }

  #thunk(): Node {
    const letter = this.#next();
    const attribute = ATTRIBUTES[letter];
    if (attribute !== undefined) return { kind: 'attribute', text: attribute };
    const thunk = THUNKS[letter];
    if (thunk !== undefined) return { kind: 'entity', text: thunk + this.#pop('entity').text };
    const resume = RESUMES[letter];
    if (resume !== undefined) return { kind: 'attribute', text: `(${this.#index()}) ${resume} partial function for ` };
    if (letter === 'W') {
      const { text } = this.#pop('entity');
      const conforming = this.#conformance();
      return { kind: 'entity', text: `protocol witness for ${text} in conformance ${conforming}` };
    }
    if (letter === 'g' || letter === 'G') return this.#specialization();
    if (letter === 'f') return this.#signatureSpecialization();
    throw new UnknownName();
  }

  /** The type that conforms to a protocol. */
  #conformance(): string {
    this.#take('signature');
    this.#module();
    this.#protocol();
    const { text } = this.#pop('type');
    if (text === '') throw new UnknownName();
    return text;
  }

  #specialization(): Node {
    this.#nextIs('m');
    this.#nextIs('q');
    this.#nextIs('a');
    if (!isDigit(this.#next())) throw new UnknownName();
    if (this.#take('empty') === undefined) {
      for (let isFirst = false; !isFirst; ) {
        isFirst = this.#take('first') !== undefined;
        this.#pop('type');
      }
    }
    return { kind: 'attribute', text: 'generic specialization of ' };
  }

  /** Changed parameters, such as ones that are not used; parameters that became constants are not read. */
  #signatureSpecialization(): Node {
    const changes = /q?a?\dm?[niedgosx]*_[ndgosx]+/y;
    changes.lastIndex = this.#at;
    const found = changes.exec(this.#input)?.[0];
    if (found === undefined) throw new UnknownName();
    this.#at += found.length;
    return { kind: 'attribute', text: 'function signature specialization of ' };
  }

  #witness(): Node {
    if (!this.#nextIs('O')) throw new UnknownName();
    const what = OUTLINED[this.#next()];
    this.#take('signature');
    const { text } = this.#pop('type');
    if (what === undefined || text === '') throw new UnknownName();
    return { kind: 'entity', text: `outlined ${what} of ${text}` };
  }

  #valueWitness(): Node {
    const what = VALUE_WITNESSES[this.#next() + this.#next()];
    const { text } = this.#pop('type');
    if (what === undefined || text === '') throw new UnknownName();
    return { kind: 'entity', text: `${what} value witness for ${text}` };
  }

  #metadata(): Node {
    const what = METADATA[this.#next()];
    const { text } = this.#pop('type');
    if (what === undefined || text === '') throw new UnknownName();
    return { kind: 'entity', text: what + text };
  }
}

/** What is in a function, or in a local type, comes before it. */
function inContext(name: string, context: Node, isLocalName: boolean): { text: string; isLocal: boolean } {
  const isLocal = context.isLocal === true;
  if (isLocalName && !isLocal) throw new UnknownName();
  return { text: isLocal ? `${name} in ${context.text}` : `${context.text}.${name}`, isLocal };
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

function endsWord(character: string | undefined, before: string): boolean {
  return character === undefined || character === '_' || (!/[A-Z]/.test(before) && /[A-Z]/.test(character));
}
