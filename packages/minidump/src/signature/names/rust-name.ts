// Normalizes Rust function names: removes the hash, crate numbers, generic arguments and closure numbers.
import { groupEnd, insideOf, replaceGroups } from './brackets.ts';

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
const NUMBERED =
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
  const text = unescapeLegacy(name.trim()).replace(HASH, '').replace(CRATE_NUMBER, '').replace(NUMBERED, nameNumbered);
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
