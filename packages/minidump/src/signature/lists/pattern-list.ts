// Lists of patterns for frame labels, and a fast search for the entry that matches a label.
import { firstCharactersOf } from './first-characters.ts';

/** One entry of a list. */
export type Pattern = {
  /** Matched against the whole label, so `free` does not match `freeTexture`. Has no flags. */
  readonly match: RegExp;
  /** What the frame is, in a few words: `C allocator`. Shown in the notes of a signature. */
  readonly why: string;
};

/** A pattern whose labels are all replaced by `to`, in the syntax of `String.replace`: `$<name>` inserts a named group. */
export type TrimPattern = Pattern & { readonly to: string };

export type PatternList<T extends Pattern = Pattern> = {
  /** Returns the first entry that matches the whole label. */
  find(label: string): T | undefined;
};

/**
 * Returns a search through the entries. Compiling an expression costs far more than a match, and a crash has few
 * labels. Therefore a label is only compared with the entries that can match its first character, and their expressions
 * are compiled when the first such label comes.
 */
export function compilePatterns<T extends Pattern>(entries: readonly T[]): PatternList<T> {
  let starts: ReturnType<typeof readStarts<T>> | undefined;
  const finders = new Map<string, PatternList<T>>();
  return {
    find(label) {
      starts ??= readStarts(entries);
      const { characters, all } = starts;
      // The empty text stands for a character with which only entries start that can start with any.
      const first = characters.has(label.charAt(0)) ? label.charAt(0) : '';
      let finder = finders.get(first);
      if (finder === undefined) {
        finder = compileFinder(all.filter(({ start }) => start?.has(first) ?? true).map(({ entry }) => entry));
        finders.set(first, finder);
      }
      return finder.find(label);
    },
  };
}

/** With which characters each entry can start, undefined if with any, and all characters that an entry names. */
function readStarts<T extends Pattern>(entries: readonly T[]) {
  const all = entries.map((entry) => ({ entry, start: firstCharactersOf(entry.match) }));
  return { all, characters: new Set(all.flatMap(({ start }) => [...(start ?? [])])) };
}

/** Most labels match no entry, so one expression that combines all of them is tried first. */
function compileFinder<T extends Pattern>(entries: readonly T[]): PatternList<T> {
  const any = wholeLabel(entries);
  let compiled: { entry: T; expression: RegExp }[] | undefined;
  return {
    find(label) {
      if (!any.test(label)) return undefined;
      compiled ??= entries.map((entry) => ({ entry, expression: wholeLabel([entry]) }));
      return compiled.find(({ expression }) => expression.test(label))?.entry;
    },
  };
}

/** Returns a function that maps a label to the common name of its variants, or returns it unchanged. */
export function compileTrims(entries: readonly TrimPattern[]): (label: string) => string {
  const list = compilePatterns(entries);
  const expressions = new Map<TrimPattern, RegExp>();
  return (label) => {
    const entry = list.find(label);
    if (entry === undefined) return label;
    const expression = expressions.get(entry) ?? wholeLabel([entry]);
    expressions.set(entry, expression);
    return label.replace(expression, entry.to);
  };
}

function wholeLabel(entries: readonly Pattern[]): RegExp {
  // An empty alternation would match the empty label.
  if (entries.length === 0) return /(?!)/;
  return new RegExp(`^(?:${entries.map(({ match }) => match.source).join('|')})$`);
}
