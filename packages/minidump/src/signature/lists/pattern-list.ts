// A list of patterns for frame labels, and the quick search for the entry that a label matches.

/** One entry of a list. */
export type Pattern = {
  /** Matched against the whole label, so that `free` is not `freeTexture`; without flags. */
  readonly match: RegExp;
  /** Why it is in the list, in a few words; it goes into the notes. */
  readonly why: string;
};

/** A pattern whose labels are all called by one name, as `String.replace` writes it: `$<name>` is a group of the pattern. */
export type TrimPattern = Pattern & { readonly to: string };

export type PatternList<T extends Pattern = Pattern> = {
  /** The first entry that the whole label matches. */
  find(label: string): T | undefined;
};

/** Compiles the entries. Most labels are in no list, so one expression of all patterns is asked first. */
export function compilePatterns<T extends Pattern>(entries: readonly T[]): PatternList<T> {
  const whole = entries.map((entry) => ({ entry, match: wholeLabel([entry]) }));
  const any = wholeLabel(entries);
  return {
    find: (label) => (any.test(label) ? whole.find(({ match }) => match.test(label))?.entry : undefined),
  };
}

/** A function that gives the label by its common name, or as it is. */
export function compileTrims(entries: readonly TrimPattern[]): (label: string) => string {
  const list = compilePatterns(entries.map((entry) => ({ ...entry, whole: wholeLabel([entry]) })));
  return (label) => {
    const entry = list.find(label);
    return entry === undefined ? label : label.replace(entry.whole, entry.to);
  };
}

function wholeLabel(entries: readonly Pattern[]): RegExp {
  // An empty alternation would match the empty label.
  if (entries.length === 0) return /(?!)/;
  return new RegExp(`^(?:${entries.map(({ match }) => match.source).join('|')})$`);
}
