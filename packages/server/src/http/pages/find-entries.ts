// Searches the entries of a zip by path or checksum.

type Entry = { readonly path: string; readonly sha256: string | null };

/** Entries whose path contains `text`, ignoring case, or whose checksum starts with it. All entries if `text` is empty. */
export function findEntries<E extends Entry>(entries: readonly E[], text: string): readonly E[] {
  const query = text.trim().toLowerCase();
  if (query === '') return entries;
  return entries.filter(({ path, sha256 }) => path.toLowerCase().includes(query) || sha256?.startsWith(query) === true);
}
