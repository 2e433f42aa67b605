// Lists of patterns for frame labels, and a fast search for the entry that matches a label.

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

/** Compiles the entries. Most labels are in no list, so one expression that combines all patterns is tried first. */
export function compilePatterns<T extends Pattern>(entries: readonly T[]): PatternList<T> {
  const compiled = entries.map((entry) => ({ entry, expression: wholeLabel([entry]) }));
  const any = wholeLabel(entries);
  return {
    find: (label) => (any.test(label) ? compiled.find(({ expression }) => expression.test(label))?.entry : undefined),
  };
}

/** Returns a function that maps a label to the common name of its variants, or returns it unchanged. */
export function compileTrims(entries: readonly TrimPattern[]): (label: string) => string {
  const list = compilePatterns(entries.map((entry) => ({ ...entry, expression: wholeLabel([entry]) })));
  return (label) => {
    const entry = list.find(label);
    return entry === undefined ? label : label.replace(entry.expression, entry.to);
  };
}

function wholeLabel(entries: readonly Pattern[]): RegExp {
  // An empty alternation would match the empty label.
  if (entries.length === 0) return /(?!)/;
  return new RegExp(`^(?:${entries.map(({ match }) => match.source).join('|')})$`);
}
