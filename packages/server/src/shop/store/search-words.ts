// Splits a search text into prefix queries for the word index.

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** More than anyone searches for; each word costs an index lookup. */
const MAX_WORDS = 8;

/**
 * Returns a tsquery for each word, which matches words with this prefix; a game has to match all of them. The index
 * folds only ASCII case, to be independent of the locale of the machine, so `мир` is searched as `мир`, `Мир` and
 * `МИР`.
 */
export function prefixQueriesOf(text: string): string[] {
  const words = new Set((text.normalize('NFC').match(WORD) ?? []).map((word) => word.toLowerCase()));
  return [...words].slice(0, MAX_WORDS).map(prefixQueryOf);
}

function prefixQueryOf(word: string): string {
  const [first = ''] = word;
  const spellings = [word, first.toUpperCase() + word.slice(first.length), word.toUpperCase()].map(foldAscii);
  return [...new Set(spellings)].map((spelling) => `'${spelling}':*`).join(' | ');
}

function foldAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
