// Finds entries of a zip by what a person has of them.

type Entry = { readonly path: string; readonly sha256: string | null };

/** Entries whose path has `text` in it, in either case, or whose checksum begins with it; all of them for ''. */
export function findEntries<E extends Entry>(entries: readonly E[], text: string): readonly E[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return entries;
  return entries.filter(
    ({ path, sha256 }) => path.toLowerCase().includes(wanted) || sha256?.startsWith(wanted) === true,
  );
}
