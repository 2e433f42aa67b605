// Finds attachments of a report with the same name.

/** The first name that another attachment has, too; case does not matter. */
export function findRepeatedName(attachments: readonly { readonly name: string }[]): string | null {
  const known = new Set<string>();
  for (const { name } of attachments) {
    if (known.has(name.toLowerCase())) return name;
    known.add(name.toLowerCase());
  }
  return null;
}
