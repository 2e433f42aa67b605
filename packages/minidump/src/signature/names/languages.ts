// Normalizes function names of Rust, C#, Go and Swift. Each language has one function, whose patterns are above it.
import { groupEnd, insideOf, replaceGroups } from './brackets.ts';

// Rust: the hash, crate numbers, generic arguments and closure numbers are removed.

/** Legacy mangling ends a path with a hash of exactly 16 hex digits. `list::head` is not one, although `ead` is hex. */
const HASH = /::h[0-9a-f]{16}(?=$|::|[.<( ])/g;
/** The hash of a mangled name: `_ZN4game4main17h0123456789abcdefE`. */
const MANGLED_HASH = /17h[0-9a-f]{16}E$/;
/** The crate number of v0 mangling: `game[8787f43e282added]::main`. */
const CRATE_NUMBER = /(?<=\w)\[[0-9a-f]{5,16}\]/g;
/**
 * What the compiler numbers: closures, implementations, `async` blocks and the like. `{closure#0}` is v0 mangling, and
 * `closure$0` is for Windows debuggers.
 */
const RUST_NUMBERED =
  /\{(?<v0>\w+(?::\w+)?)#\d+\}|\b(?<windows>closure|closure_env|impl|async_fn|async_fn_env|async_block|async_block_env|coroutine|generator)\$\d+/g;
/** A signature has room for 255 characters. The rest of a longer word is read but dropped, which keeps the work linear. */
const MAX_WORD = 1024;
const ESCAPES: Readonly<Record<string, string>> = {
  $LT$: '<',
  $GT$: '>',
  $RF$: '&',
  $BP$: '*',
  $C$: ',',
  $LP$: '(',
  $RP$: ')',
  $SP$: '@',
  $u20$: ' ',
  $u27$: "'",
  $u5b$: '[',
  $u5d$: ']',
  $u7b$: '{',
  $u7d$: '}',
};

/**
 * `<alloc::vec::Vec<u8> as core::ops::Drop>::drop::h0123456789abcdef` becomes
 * `<alloc::vec::Vec<T> as core::ops::Drop>::drop`.
 *
 * `<A as B>` and `<impl B for A>` identify the function, so they are kept without the generic arguments inside. All
 * manglings give the same result: `<A>::f` becomes `A::f`, `f::<u8>` becomes `f<T>`, and every closure `{{closure}}`.
 */
export function normalizeRustName(name: string): string {
  const text = unescapeLegacy(name.trim())
    .replace(HASH, '')
    .replace(CRATE_NUMBER, '')
    .replace(RUST_NUMBERED, nameNumbered);
  const mangled = text.replace(MANGLED_HASH, 'E');
  if (mangled !== text) return mangled;
  let word = '';
  for (let at = 0; at < text.length; ) {
    const char = text[at] as string;
    if (char === ' ') {
      if (text.startsWith(' -> ', at)) break;
      word = '';
      at += 1;
    } else if ('<({'.includes(char)) {
      const end = groupEnd(text, at);
      if (word.length < MAX_WORD) word = appendGroup(word, char, insideOf(text, at, end));
      at = end;
    } else {
      if (word.length < MAX_WORD) word += char;
      at += 1;
    }
  }
  return word === '' ? text : word;
}

/** `{closure_env#0}` and `closure$1` become `{{closure}}`. */
function nameNumbered(_: string, v0: string | undefined, windows: string | undefined): string {
  return `{{${(v0 ?? windows ?? '').replace(/_env$/, '')}}}`;
}

function appendGroup(word: string, open: string, inside: string): string {
  if (open === '(') return word;
  if (open === '{') return `${word}{${inside}}`;
  const leads = word === '' || word.endsWith('::');
  if (!leads) return `${word}<T>`;
  const plain = replaceGroups(inside, '<', () => '<T>');
  if (plain.includes(' as ') || plain.startsWith('impl ')) return `${word}<${plain}>`;
  return word === '' ? plain : `${word.slice(0, -2)}<T>`;
}

/** Old tools store legacy names half demangled: `_$LT$T$u20$as$u20$core..fmt..Debug$GT$`. */
function unescapeLegacy(name: string): string {
  if (!/\$(?:LT|RF|BP|LP|u[0-9a-f]{2})\$/.test(name)) return name;
  return name
    .replace(/\$\w{1,3}\$/g, (code) => ESCAPES[code] ?? code)
    .replace(/\.\./g, '::')
    .replace(/(^|::)_(?=<)/g, '$1');
}

// C# of Mono, .NET, il2cpp and Burst: arguments, generic arguments and the numbers of what the compiler generates are
// removed.

/** `(wrapper managed-to-native) `: Mono's glue around a method. */
const WRAPPER = /^\(wrapper [\w-]{1,40}\) /;
/**
 * Names that the compiler derives from a method, and their numbers, which change when another one is added before:
 * coroutines `<Start>d__12`, lambdas `<Start>b__3_0`, closures `<>c__DisplayClass3_0`, local functions
 * `<Start>g__Aim|3_0`; in old versions of Mono `<Start>c__Iterator0` and `<Start>m__0`.
 */
const CSHARP_NUMBERS: readonly (readonly [RegExp, string])[] = [
  [/(<[\w.]{0,128}>[a-z])__\d+(?:_\d+)*/g, '$1'],
  [/(<[\w.]{0,128}>g__\w{1,128})\|\d+(?:_\d+)*/g, '$1'],
  [/(<[\w.]{0,128}>[a-fh-z]__[A-Za-z]{1,32}?)(?:[0-9][0-9A-F]*|[A-F])(?:_\d+)*(?![A-Za-z0-9])/g, '$1'],
];

/**
 * ``Game.Pool`1[System.Int32]+<Load>d__12.MoveNext ()`` becomes `Game.Pool<T>+<Load>d.MoveNext`, and il2cpp's
 * `U3CLoadU3Ed__12_MoveNext` becomes `<Load>d_MoveNext`.
 */
export function normalizeCsharpName(name: string): string {
  const plain = name.trim().replace(WRAPPER, '').replaceAll('U3C', '<').replaceAll('U3E', '>');
  const word = lastWord(plain);
  return CSHARP_NUMBERS.reduce((text, [pattern, by]) => text.replace(pattern, by), word === '' ? plain : word);
}

/** The method without its result and arguments, and with `<T>` for generic arguments. */
function lastWord(text: string): string {
  let word = '';
  for (let at = 0; at < text.length; ) {
    const char = text[at] as string;
    const append = (part: string) => {
      if (word.length < MAX_WORD) word += part;
    };
    if (char === '(' && word !== '') break;
    if (char === ' ') {
      if (text[at + 1] === '(' || text.startsWith(' -> ', at)) break;
      word = '';
      at += 1;
    } else if (char === '`') {
      at += 1;
      while (/\d/.test(text[at] ?? '')) at += 1;
    } else if (char === '[' || char === '<') {
      const end = groupEnd(text, at);
      const isArguments = char === '[' || /[A-Za-z0-9`]/.test(text[at - 1] ?? '');
      if (!isArguments) append(`<${insideOf(text, at, end)}>`);
      else if (!word.endsWith('<T>')) append('<T>');
      at = end;
    } else {
      append(char);
      at += 1;
    }
  }
  return word;
}

// Go: type arguments are removed. A method's `(*Type)` is kept, because it is part of the name.

/** Closures and wrappers, numbered in each function: `main.load.func2.1`, `main.load.gowrap1`. */
const GO_NUMBERED = /\.(func|gowrap|deferwrap)\d+(?:\.\d+)*(?=$|\.)/g;

/** `main.(*Pool[go.shape.int]).Get.func2` becomes `main.(*Pool).Get.func`. */
export function normalizeGoName(name: string): string {
  return replaceGroups(name.trim(), '[', () => '').replace(GO_NUMBERED, '.$1');
}

// Swift, demangled: arguments, results, generic arguments and compiler prefixes are removed.

/** Prefixes that the demangler writes before a function, such as `specialized`. Each can occur more than once. */
const SWIFT_PREFIX =
  /^(?:static |class |@objc |@nonobjc |override |specialized |merged |(?:dispatch |vtable )?thunk (?:of|for) |outlined [a-z ]{1,40} of |\(\d+\) (?:await|suspend) resume partial function for |partial apply forwarder for |partial apply for |protocol witness for |reabstraction thunk helper (?:<T> )?|(?:generic|function signature|generic not re-abstracted) specialization <T> of |\(extension in [^)]*\):|implicit closure #\d+ in (?=closure))/;
/** The number of a closure, of a local function, or of an argument with a default: `closure #1`, `aim #2`. */
const SWIFT_NUMBER = /^((?:implicit )?closure|[^ ]+) #\d+|(?<=^default argument) \d+(?= of )/;

/** `closure #1 (Swift.Int) -> () in Game.Player.update(delta: Swift.Double) -> ()` becomes `closure in Game.Player.update`. */
export function normalizeSwiftName(name: string): string {
  let text = replaceGroups(name.trim(), '<', () => '<T>');
  for (let rest = text.replace(SWIFT_PREFIX, ''); rest !== text; rest = text.replace(SWIFT_PREFIX, '')) text = rest;
  const plain = replaceGroups(text, '(', () => '').replace(/ in conformance .*$/s, '');
  return plain.split(' in ').map(cutResult).filter(Boolean).join(' in ');
}

function cutResult(part: string): string {
  return part
    .replace(SWIFT_NUMBER, '$1')
    .replace(/ (?:async|throws|rethrows)\b.*$/s, '')
    .replace(/ ?->.*$/s, '')
    .replace(/ : .*$/s, '')
    .trim();
}
