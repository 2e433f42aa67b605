// Orders tables so that rows are deleted before the rows that they refer to: a cascade would delete all of them in one statement.

type Table = { readonly name: string; readonly parents: readonly string[] };

/** Tables that refer to others come before them. Those that refer to each other in a circle come last, in the order in which they were given. */
export function orderTables<T extends Table>(tables: readonly T[]): T[] {
  const ordered: T[] = [];
  let rest = [...tables];
  while (rest.length > 0) {
    const referredTo = new Set(rest.flatMap(({ name, parents }) => parents.filter((parent) => parent !== name)));
    const free = rest.filter(({ name }) => !referredTo.has(name));
    if (free.length === 0) return [...ordered, ...rest];
    ordered.push(...free);
    rest = rest.filter((table) => !free.includes(table));
  }
  return ordered;
}
