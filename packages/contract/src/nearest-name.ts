// Finds the name that someone probably meant by a mistyped one.

/**
 * The name that differs the least from `typed`, ignoring case, or null if none is similar. An edit is a changed, missing
 * or additional character, or two that are swapped. Up to a third of the characters may differ.
 */
export function findNearestName(typed: string, names: readonly string[]): string | null {
  let nearest: { name: string; edits: number } | null = null;
  for (const name of names) {
    const maxEdits = Math.floor(Math.max(typed.length, name.length) / 3);
    // The lengths alone rule most names out, and keep long input cheap.
    if (Math.abs(typed.length - name.length) > maxEdits) continue;
    const edits = countEdits(typed.toLowerCase(), name.toLowerCase());
    if (edits <= maxEdits && edits < (nearest?.edits ?? Number.POSITIVE_INFINITY)) nearest = { name, edits };
  }
  return nearest?.name ?? null;
}

/** The optimal string alignment distance. */
function countEdits(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + cost,
        isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
