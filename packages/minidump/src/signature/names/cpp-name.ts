// Normalizes C and C++ function names: removes the return type, arguments, template arguments and compiler numbering.
import { groupEnd, insideOf, replaceGroups } from './brackets.ts';

/** Operators, longest symbol first, including `new`, `delete` and literal suffixes. */
const OPERATOR =
  /operator(?: ?\(\)| ?\[\]|<=>|<<=|>>=|->\*|<<|>>|<=|>=|->|==|!=|&&|\|\||\+\+|--|[-+*/%^&|]=|[-+*/%^&|~!=<>,]| ?"" ?\w+| (?:new|delete)(?: ?\[\])?| co_await)/y;
const WORD = /[\w~]+/y;
const CLANG_LAMBDA = /\$_\d+/y;
/** Words that start a type, so the parenthesis after them does not contain the function's arguments. */
const TYPE_OF = /(?:^|\W)(?:decltype|typeof|__typeof__|noexcept|alignas|__attribute__|__declspec)$/;
const DECLARATOR = /\((?:__\w+ )?[*&]+ ?(?=[\w:(])/y;
const ANONYMOUS = /\(anonymous (?:namespace|class|struct|union|enum)\)/y;
/** Qualifiers between a function's arguments and a name inside that function: ` const::{lambda()#1}`. */
const QUALIFIER_IN_PATH = / (?:const|volatile| |&)+(?=::)/y;
/** What can follow a function's arguments at the end of the name. */
const TRAILER = / (?:const\b|volatile\b|noexcept\b|override\b|&|->|requires\b|\[|\(\.)/y;
/**
 * Other spellings of the anonymous namespace: MSVC's hash of the file, GCC's mangled name, and that of tools that
 * replace quotes.
 */
const ANONYMOUS_NAMESPACE = /_anonymous[ _-]namespace_(?=::)|\?A0x[0-9a-f]{8}(?=::)|\b_GLOBAL__N_\w{0,64}?(?=::)/g;
/** MSVC's handler in a function: `` `World::Load'::`1'::dtor$0 ``. */
const HANDLER = /^`(.*?)'(?:::`\d+')?::(?:dtor|catch|fin)\$\d+$/s;
/** Numbers of unnamed functions and classes: LLVM's `'lambda0'`, Vala's `__lambda4_`, Zig's `draw__anon_12`. */
const UNNAMED_NUMBERS: readonly (readonly [RegExp, string])[] = [
  [/\b(lambda|unnamed)\d+\b/g, '$1'],
  [/\b(_{2,3}lambda)\d+(?=_)/g, '$1'],
  [/(__(?:anon|struct|union|enum))_\d+\b/g, '$1'],
  // Java: the lambdas and anonymous classes of Kotlin and others that only exist as methods and classes.
  [/\b(lambda\$\w{1,64})\$\d+/g, '$1'],
  [/(\$\$Lambda)(?:\$\d+)?(?:\/(?:0x)?[0-9a-f]+)?/g, '$1'],
  [/(\$\$\w{0,32}Lambda)\d+/g, '$1'],
  [/(?<=\w)\$\d+(?=\.)/g, '$'],
];
const QUALIFIER_AT_END = / (?:const|volatile|noexcept) ?&{0,2}$| ?&{1,2}$/;
/** A signature has room for 255 characters. The rest of a longer word is read but dropped, which keeps the work linear. */
const MAX_WORD = 1024;
/** The name of a function that returns a function pointer is in parentheses. Real code nests at most two of them. */
const MAX_DECLARATORS = 2;
/** MSVC phrases for generated functions. Their spaces are part of the name. */
const GENERATED =
  /^(?:scalar|vector|dynamic|local (?:static|vftable)|virtual displacement|default constructor|copy constructor|eh|placement|managed|omni|vbase) |^(?:vftable|vbtable|vcall|adjustor|string|typeof)\b/;

/**
 * `void render::Cache<Key, Value>::get<int>(Key const&) const` becomes `render::Cache<T>::get<T>`.
 *
 * Reads the name once from left to right: a space outside all brackets starts a new word, and the last word is the
 * function. Supports the output of MSVC, GCC and Clang, and of their demanglers. Never throws.
 */
export function normalizeCppName(name: string): string {
  const text = name
    .trim()
    .replace(HANDLER, '$1')
    .replace(ANONYMOUS_NAMESPACE, '(anonymous namespace)')
    .replace(QUALIFIER_AT_END, '')
    .replace(QUALIFIER_AT_END, '');
  const label = dropInlineNamespaces(new CppReader(text, MAX_DECLARATORS).read());
  return UNNAMED_NUMBERS.reduce((kept, [pattern, by]) => kept.replace(pattern, by), label)
    .replace(/ (?=[*&,])/g, '')
    .replace(/,(?=\S)/g, ', ')
    .trim();
}

class CppReader {
  readonly #text: string;
  /** How many more parentheses around the name are followed. */
  readonly #declarators: number;
  #at = 0;
  #word = '';
  /** Inside the type of a conversion operator, where spaces do not separate words. */
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
    else if (char === '`') this.#readQuoted();
    else if (char === '[') this.#group();
    else if (this.#take(CLANG_LAMBDA)) this.#append('$');
    else this.#readWord();
  }

  #readQuoted(): void {
    const inside = this.#group();
    // MSVC numbers the scopes of a function: `` `World::Load'::`2'::Cache::get ``.
    if (/^\d+$/.test(inside) && this.#text.startsWith('::', this.#at)) this.#at += 2;
    else this.#append(quotedName(inside));
  }

  /** Returns true if the name ends here. */
  #readSpace(): boolean {
    if (this.#afterArguments) {
      if (this.#take(QUALIFIER_IN_PATH)) return false;
      if (this.#looksAt(TRAILER)) return true;
    }
    this.#at += 1;
    const next = this.#text[this.#at];
    if (this.#inConversion) this.#append(' ');
    // `draw (int, int)`: these are the arguments of the previous word.
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
    // A function without a name is `<name omitted>` in Breakpad, and `<unknown in game.dll>` in Mozilla's tools.
    if (leads && (inside === 'name omitted' || /^unknown in /.test(inside))) return `<${inside}>`;
    return leads && this.#isName(inside) ? `<${inside}>` : '<T>';
  }

  /**
   * Whether a group with no name before it is itself a name: either it is the whole text, such as the symbol writer's
   * note `<.text ELF section in game>`, or the C# compiler derived a name from a function, such as `<Main>$`.
   */
  #isName(inside: string): boolean {
    const isWhole = this.#word === '' && this.#at === this.#text.length;
    return isWhole || (/^\w*$/.test(inside) && /[\w$]/.test(this.#text[this.#at] as string));
  }

  /** Returns the text inside the parentheses if it contains the name, as in `int (*signal(int))(char)`. */
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
      // GCC puts a space between `operator<` and its template arguments: `operator< <int>`.
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

  /** Skips the group at the current position and returns the text inside it. */
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

/** `{lambda(int)#1}` becomes `{lambda}`, and GCC's `{anonymous}` becomes the spelling that other compilers use. */
function bracedName(inside: string): string {
  if (inside === 'anonymous') return '(anonymous namespace)';
  // MSVC: the offset of a virtual call or the number of a static variable's guard.
  if (/^\d+(?:, ?\{flat\})?$/.test(inside)) return '';
  return `{${replaceGroups(inside, '(<', () => '').replace(/#\d+$/, '')}}`;
}

/** MSVC quotes special names: the anonymous namespace, generated functions, and the function around a local one. */
function quotedName(inside: string): string {
  if (inside === 'anonymous namespace' || inside === 'anonymous-namespace') return '(anonymous namespace)';
  // A thunk that corrects `this` for the function before it: `` Button::Paint`adjustor{8}' ``.
  if (/^(?:adjustor|vtordisp(?:ex)?)\{/.test(inside)) return '';
  if (GENERATED.test(inside)) return `\`${inside}'`;
  const plain = replaceGroups(inside, '(<', (group) => (group.startsWith('lambda') ? '<lambda>' : ''));
  return `\`${plain.slice(plain.trimEnd().lastIndexOf(' ') + 1)}'`;
}

// Libraries put their versions into inline namespaces: `std::__ndk1::vector` is `std::vector`.

const INLINE_VERSIONS: readonly RegExp[] = [
  // Standard libraries: libc++ of LLVM (`__1`, `__2`), Android (`__ndk1`), Chromium (`__Cr`), Google and Meta; libstdc++
  // (`__cxx11`, `__cxx1998`, `__8`, `_V2`). They are also inside others: `std::filesystem::__cxx11::path`. Real
  // namespaces, such as `std::__detail`, have no number.
  /(?<=\bstd(?:::\w{1,32}){0,3})::(?:__[A-Za-z]{0,8}\d+|__Cr|__u|__[amt]san|_V\d+)(?=::)/g,
  // `absl::lts_20230802`, `nlohmann::json_abi_v3_11_3`, `boost::log::v2s_mt_posix`, `openvdb::v10_0`: a date or a
  // version with several parts.
  /(?<=\w)::(?:lts_\d{8}|json_abi(?:_\w{1,24})?|v\d+(?:_\d+)+|v\d+[a-z]?_(?:mt|st)_\w{1,16}|fundamentals_v\d)(?=::)/g,
  // A plain `v9` may be a namespace of the game, so only known libraries lose it.
  /(?<=\b(?:fmt|ranges|msgpack|sol|gsl|cereal|simdjson|xsimd|yyjson|protobuf|spdlog|dnnl|ncnn|openvr|asio|toml))::v\d+(?=::)/g,
  // oneTBB: `tbb::detail::d1::task`.
  /(?<=\btbb::detail)::[dr]\d+(?=::)/g,
];

/** Libraries whose outermost namespace has the version: `icu_72::UnicodeString`, `Imath_3_1::Vec3`. */
const VERSIONED_ROOTS =
  /\b(icu|Imath|Imf|Iex|IlmThread|OpenImageIO|OpenColorIO|pxrInternal)_v?\d+(?:_\d+)*(?:__pxrReserved__)?(?=::)/g;

/** Expects a normalized name, whose length is limited. */
function dropInlineNamespaces(name: string): string {
  if (!name.includes('::')) return name;
  return INLINE_VERSIONS.reduce((text, version) => text.replace(version, ''), name).replace(VERSIONED_ROOTS, '$1');
}
