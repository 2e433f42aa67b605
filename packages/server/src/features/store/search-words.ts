// Takes apart what a player looks for, into questions that the index of words answers.

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Nobody looks for a game with more; each costs a look into the index. */
const MOST_WORDS = 8;

/**
 * One question in PostgreSQL's form for each word, each of which a game has to answer: does a word begin so? The index folds the case of ASCII
 * alone, since it may not depend on the machine's locale. So for `мир` it is asked for `мир`, `Мир` and `МИР`.
 */
export function questionsOf(text: string): string[] {
  const words = new Set((text.normalize('NFC').match(WORD) ?? []).map((word) => word.toLowerCase()));
  return [...words].slice(0, MOST_WORDS).map(questionOf);
}

function questionOf(word: string): string {
  const [first = ''] = word;
  const spellings = [word, first.toUpperCase() + word.slice(first.length), word.toUpperCase()].map(foldAscii);
  return [...new Set(spellings)].map((spelling) => `'${spelling}':*`).join(' | ');
}

function foldAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
