// Finds what someone means by a few letters: parts of words in any order, or letters of a name with gaps.

/** The better a match, the higher its score. */
const WORD_START = 100;
const INSIDE = 60;
const SPREAD = 30;
/** What is only known about an item, such as its group, counts less than its name. */
const CONTEXT = 0.5;

/**
 * How well an item matches: null if a word of the query is neither in its name nor in its context. Without a query, all
 * items match alike.
 */
export function matchItem(query: string, item: { readonly name: string; readonly context: string }): number | null {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const [name, context] = [item.name.toLowerCase(), item.context.toLowerCase()];
  let total = 0;
  for (const word of words) {
    const inContext = scoreSubstring(word, context);
    const score = scoreSubstring(word, name) ?? (inContext === null ? scoreLetters(word, name) : inContext * CONTEXT);
    if (score === null) return null;
    total += score;
  }
  // If names match alike, the shortest one comes first, because it has the least besides the match.
  return words.length === 0 ? 0 : total / words.length - name.length / 1000;
}

function scoreSubstring(word: string, text: string): number | null {
  const at = text.indexOf(word);
  if (at === -1) return null;
  const starts = [...text.matchAll(/[\p{L}\p{N}]+/gu)].map(({ index }) => index);
  const first = starts.findIndex((start) => text.startsWith(word, start));
  return first === -1 ? INSIDE : WORD_START - Math.min(first, 20);
}

/** The letters in order, the first one at the start of a word: `cgr` is in “Crash grouping”. */
function scoreLetters(word: string, text: string): number | null {
  for (const { index } of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (text[index] !== word[0]) continue;
    const length = spanOf(word, text.slice(index));
    if (length !== null) return (SPREAD * word.length) / length;
  }
  return null;
}

/** How many letters of the text it takes to have all letters of the word in order. */
function spanOf(word: string, text: string): number | null {
  let at = 0;
  for (const letter of word) {
    const found = text.indexOf(letter, at);
    if (found === -1) return null;
    at = found + 1;
  }
  return at;
}
