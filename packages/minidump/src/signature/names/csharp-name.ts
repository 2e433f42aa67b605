// Normalizes C# function names of Mono, .NET, il2cpp and Burst: removes arguments, generic arguments and the numbers of
// what the compiler generates.
import { groupEnd, insideOf } from './brackets.ts';

/** `(wrapper managed-to-native) `: Mono's glue around a method. */
const WRAPPER = /^\(wrapper [\w-]{1,40}\) /;
/**
 * Names that the compiler derives from a method, and their numbers, which change when another one is added before:
 * coroutines `<Start>d__12`, lambdas `<Start>b__3_0`, closures `<>c__DisplayClass3_0`, local functions
 * `<Start>g__Aim|3_0`; in old versions of Mono `<Start>c__Iterator0` and `<Start>m__0`.
 */
const NUMBERS: readonly (readonly [RegExp, string])[] = [
  [/(<[\w.]{0,128}>[a-z])__\d+(?:_\d+)*/g, '$1'],
  [/(<[\w.]{0,128}>g__\w{1,128})\|\d+(?:_\d+)*/g, '$1'],
  [/(<[\w.]{0,128}>[a-fh-z]__[A-Za-z]{1,32}?)(?:[0-9][0-9A-F]*|[A-F])(?:_\d+)*(?![A-Za-z0-9])/g, '$1'],
];
/** A signature has room for 255 characters. The rest of a longer word is read but dropped, which keeps the work linear. */
const MAX_WORD = 1024;

/**
 * ``Game.Pool`1[System.Int32]+<Load>d__12.MoveNext ()`` becomes `Game.Pool<T>+<Load>d.MoveNext`, and il2cpp's
 * `U3CLoadU3Ed__12_MoveNext` becomes `<Load>d_MoveNext`.
 */
export function normalizeCsharpName(name: string): string {
  const plain = name.trim().replace(WRAPPER, '').replaceAll('U3C', '<').replaceAll('U3E', '>');
  const word = lastWord(plain);
  return NUMBERS.reduce((text, [pattern, by]) => text.replace(pattern, by), word === '' ? plain : word);
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
