// Orders tables so that rows are deleted before the rows they reference. Otherwise a cascade would delete them in one
// statement.

type Table = { readonly name: string; readonly parents: readonly string[] };

/**
 * Puts tables before the tables that they reference. Tables with circular references come last, in their given order.
 */
export function orderTables<T extends Table>(tables: readonly T[]): T[] {
  const ordered: T[] = [];
  let rest = [...tables];
  while (rest.length > 0) {
    const referenced = new Set(rest.flatMap(({ name, parents }) => parents.filter((parent) => parent !== name)));
    const free = rest.filter(({ name }) => !referenced.has(name));
    if (free.length === 0) return [...ordered, ...rest];
    ordered.push(...free);
    rest = rest.filter((table) => !free.includes(table));
  }
  return ordered;
}
