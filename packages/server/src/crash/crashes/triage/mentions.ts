// Finds the members whom a comment mentions.

type Named = { readonly user_id: string; readonly name: string };

/**
 * The members whose name follows an @. Case does not matter. Of names of which one begins with the other, the longer
 * counts.
 */
export function mentionedIn<Member extends Named>(comment: string, members: readonly Member[]): Member[] {
  const byLength = members.toSorted((a, b) => b.name.length - a.name.length);
  const mentioned = new Set<Member>();
  const text = comment.toLowerCase();
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    if (at > 0 && IN_WORD.test(text[at - 1]!)) continue;
    const match = byLength.find(({ name }) => {
      const lower = name.toLowerCase();
      return text.startsWith(lower, at + 1) && !IN_WORD.test(text[at + 1 + lower.length] ?? '');
    });
    // People may have the same name.
    if (match !== undefined)
      for (const member of members) if (member.name.toLowerCase() === match.name.toLowerCase()) mentioned.add(member);
  }
  return [...mentioned];
}

const IN_WORD = /[\p{L}\p{N}_]/u;
