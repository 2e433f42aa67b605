// Extends a selection of rows to another one, as a press with Shift does in lists.

/**
 * `ids` are those of all rows in their order; `selected` in the order in which they were selected. At most `max` of
 * them.
 */
export function selectTo(ids: readonly string[], selected: readonly string[], to: string, max: number): string[] {
  const last = selected.at(-1);
  const [from, until] = [last === undefined ? -1 : ids.indexOf(last), ids.indexOf(to)];
  if (from === -1 || until === -1) return [...selected, to];
  const between = ids.slice(Math.min(from, until), Math.max(from, until) + 1).filter((id) => id !== to);
  // The order is away from the last one, so that the next press goes on from `to`.
  const added = (from < until ? between : between.toReversed()).filter((id) => !selected.includes(id));
  return [...selected, ...added, to].slice(0, max);
}
