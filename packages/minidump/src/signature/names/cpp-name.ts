// Normalises the name of a C or C++ function: without return type, arguments, template arguments and the compiler's own numbers.
import { groupEnd, insideOf, replaceGroups } from './brackets.ts';

/** An operator's symbol, the longest first; `new`, `delete` and literal suffixes as well. */
const OPERATOR =
  /operator(?: ?\(\)| ?\[\]|<=>|<<=|>>=|->\*|<<|>>|<=|>=|->|==|!=|&&|\|\||\+\+|--|[-+*/%^&|]=|[-+*/%^&|~!=<>,]| ?"" ?\w+| (?:new|delete)(?: ?\[\])?| co_await)/y;
const WORD = /[\w~]+/y;
const CLANG_LAMBDA = /\$_\d+/y;
/** Words before a bracket that are part of a type, so that the bracket does not hold the function's arguments. */
const TYPE_OF = /(?:^|\W)(?:decltype|typeof|__typeof__|noexcept|alignas|__attribute__|__declspec)$/;
const DECLARATOR = /\((?:__\w+ )?[*&]+ ?(?=[\w:(])/y;
const ANONYMOUS = /\(anonymous (?:namespace|class|struct|union|enum)\)/y;
/** What may follow a function's arguments before a name inside it: ` const::{lambda()#1}`. */
const QUALIFIER_IN_PATH = / (?:const|volatile| |&)+(?=::)/y;
/** What may follow a function's arguments at the end of its name. */
const TRAILER = / (?:const\b|volatile\b|noexcept\b|override\b|&|->|requires\b|\[|\(\.)/y;
const QUALIFIER_AT_END = / (?:const|volatile|noexcept) ?&{0,2}$| ?&{1,2}$/;
/** A signature has room for 255 characters. The rest of a longer word is read and left out, which keeps the work linear. */
const MAX_WORD = 1024;
/** A function that returns a function has its name in a bracket; nobody writes more than two of them. */
const MAX_DECLARATORS = 2;
/** Phrases of MSVC that stand for a generated function; their spaces are part of the name. */
const GENERATED =
  /^(?:scalar|vector|dynamic|local (?:static|vftable)|virtual displacement|default constructor|copy constructor|eh|placement|managed|omni|vbase) |^(?:vftable|vbtable|vcall|adjustor|string|typeof)\b/;

/**
 * `void render::Cache<Key, Value>::get<int>(Key const&) const` is `render::Cache<T>::get<T>`.
 *
 * Reads the name once from left to right: a space outside of all brackets begins a new word, and the last word is the
 * function. Takes what MSVC, gcc and clang write, and what their demanglers do. Any text gives some text.
 */
export function normalizeCppName(name: string): string {
  const text = name.trim().replace(QUALIFIER_AT_END, '').replace(QUALIFIER_AT_END, '');
  const label = new CppReader(text, MAX_DECLARATORS).read();
  return label
    .replace(/ (?=[*&,])/g, '')
    .replace(/,(?=\S)/g, ', ')
    .trim();
}

class CppReader {
  readonly #text: string;
  /** How often the name may still be inside of a bracket. */
  readonly #declarators: number;
  #at = 0;
  #word = '';
  /** Inside the type of a conversion operator, where spaces do not part words. */
  #inConversion = false;
  #afterArguments = false;

  constructor(text: string, declarators: number) {
    this.#text = text;
    this.#declarators = declarators;
  }

  read(): string {
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] as string;
      if (char === ' ') {
        if (this.#readSpace()) break;
      } else if (char === '(') {
        const inner = this.#readParentheses();
        if (inner !== undefined) return new CppReader(inner, this.#declarators - 1).read();
      } else this.#readPart(char);
    }
    return this.#word === '' ? this.#text : this.#word;
  }

  #readPart(char: string): void {
    if (char === '<') this.#append(this.#readTemplate());
    else if (char === '{') this.#append(bracedName(this.#group()));
    else if (char === '`') this.#append(quotedName(this.#group()));
    else if (char === '[') this.#group();
    else if (this.#take(CLANG_LAMBDA)) this.#append('$');
    else this.#readWord();
  }

  /** True when the name ends here. */
  #readSpace(): boolean {
    if (this.#afterArguments) {
      if (this.#take(QUALIFIER_IN_PATH)) return false;
      if (this.#looksAt(TRAILER)) return true;
    }
    this.#at += 1;
    const next = this.#text[this.#at];
    if (this.#inConversion) this.#append(' ');
    // `draw (int, int)`: the arguments of the word before.
    else if (next === '(' && this.#word !== '' && !this.#looksAt(ANONYMOUS) && !this.#looksAt(DECLARATOR)) return false;
    else if (next === '[') this.#group();
    else this.#beginWord();
    return false;
  }

  #append(part: string): void {
    if (this.#word.length < MAX_WORD) this.#word += part;
  }

  #beginWord(): void {
    this.#word = '';
    this.#afterArguments = false;
  }

  #readTemplate(): string {
    const inside = this.#group();
    const leads = this.#word === '' || this.#word.endsWith('::');
    if (leads && inside.startsWith('lambda')) return '<lambda>';
    // Breakpad writes `<name omitted>` for a function without a name, Mozilla's tools `<unknown in game.dll>`.
    if (leads && (inside === 'name omitted' || /^unknown in /.test(inside))) return `<${inside}>`;
    return leads && this.#isName(inside) ? `<${inside}>` : '<T>';
  }

  /**
   * Whether the brackets that were just read, with no name before them, are a name: the whole text is a note of the symbol writer's, as
   * `<.text ELF section in game>` is, or a compiler named what it made after a function, as that of C# does: `<Main>$`.
   */
  #isName(inside: string): boolean {
    const isWhole = this.#word === '' && this.#at === this.#text.length;
    return isWhole || (/^\w*$/.test(inside) && /[\w$]/.test(this.#text[this.#at] as string));
  }

  /** Gives the text that holds the name, where that is inside: `int (*signal(int))(char)`. */
  #readParentheses(): string | undefined {
    const start = this.#at;
    if (this.#take(ANONYMOUS)) {
      this.#append(this.#text.slice(start, this.#at));
      return undefined;
    }
    const isDeclarator = this.#declarators > 0 && this.#word === '' && this.#looksAt(DECLARATOR);
    const inside = this.#group();
    if (isDeclarator && this.#text[this.#at] === '(') return inside.replace(/^(?:__\w+ )?[*& ]+/, '');
    if (this.#word !== '' && !TYPE_OF.test(this.#word.slice(-20))) {
      this.#afterArguments = true;
      this.#inConversion = false;
    }
    return undefined;
  }

  #readWord(): void {
    const start = this.#at;
    if (this.#take(OPERATOR)) {
      this.#append(this.#text.slice(start, this.#at).replace(/^operator (?=[([])/, 'operator'));
      // gcc parts `operator<` from its template arguments: `operator< <int>`.
      if (this.#text.startsWith(' <', this.#at)) this.#at += 1;
    } else if (this.#take(WORD)) {
      const word = this.#text.slice(start, this.#at);
      this.#append(word);
      this.#inConversion ||= word === 'operator' && this.#text[this.#at] === ' ';
    } else {
      this.#append(this.#text[start] as string);
      this.#at += 1;
    }
  }

  /** Goes past the group here; gives what is inside. */
  #group(): string {
    const start = this.#at;
    this.#at = groupEnd(this.#text, start);
    return insideOf(this.#text, start, this.#at);
  }

  #looksAt(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
  }

  #take(pattern: RegExp): boolean {
    if (!this.#looksAt(pattern)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }
}

/** `{lambda(int)#1}` is `{lambda#1}`; gcc's `{anonymous}` is the name that all others write. */
function bracedName(inside: string): string {
  if (inside === 'anonymous') return '(anonymous namespace)';
  return `{${replaceGroups(inside, '(<', () => '')}}`;
}

/** MSVC quotes what is no plain name: a namespace without one, a generated function, the function around a local one. */
function quotedName(inside: string): string {
  if (inside === 'anonymous namespace' || inside === 'anonymous-namespace') return '(anonymous namespace)';
  if (GENERATED.test(inside)) return `\`${inside}'`;
  const plain = replaceGroups(inside, '(<', (group) => (group.startsWith('lambda') ? '<lambda>' : ''));
  return `\`${plain.slice(plain.trimEnd().lastIndexOf(' ') + 1)}'`;
}
