// Reorders images.

/** Returns `uids` with the item at index `from` moved to index `to`, unchanged if either doesn't exist. */
export function moved(uids: readonly string[], from: number, to: number): string[] {
  const uid = uids[from];
  if (uid === undefined || to < 0 || to >= uids.length) return [...uids];
  return uids.toSpliced(from, 1).toSpliced(to, 0, uid);
}
