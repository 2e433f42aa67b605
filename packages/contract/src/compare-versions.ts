// The order of the versions of games, which need not follow any scheme: `1.9`, `1.10.0`, `1.10.0-rc.2`, `2026.11a`.

/**
 * Negative if `a` is older than `b`, positive if it is newer, 0 if they are equal. Numbers are compared as such, missing
 * parts count as 0, and a version with a part after `-` comes before the same one without it (like
 * https://semver.org/#spec-item-11). What follows `+` does not matter.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  const byRelease = compareParts(left.release, right.release, '0');
  if (byRelease !== 0) return byRelease;
  if (left.preRelease === null || right.preRelease === null)
    return Number(left.preRelease === null) - Number(right.preRelease === null);
  return compareParts(left.preRelease, right.preRelease, '');
}

type Parts = { readonly release: readonly string[]; readonly preRelease: readonly string[] | null };

function partsOf(version: string): Parts {
  const [text = ''] = version
    .toLowerCase()
    .replace(/^v(?=\d)/, '')
    .split('+', 1);
  const at = text.indexOf('-');
  return {
    release: tokensOf(at < 0 ? text : text.slice(0, at)),
    preRelease: at < 0 ? null : tokensOf(text.slice(at + 1)),
  };
}

/** Runs of digits and runs of other characters, without the separators. */
function tokensOf(text: string): string[] {
  return text.match(/\d+|[^\d.\-_\s]+/g) ?? [];
}

function compareParts(a: readonly string[], b: readonly string[], missing: string): number {
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const order = compareTokens(a[index] ?? missing, b[index] ?? missing);
    if (order !== 0) return order;
  }
  return 0;
}

/** A number comes before a word, and nothing before both. */
function compareTokens(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [/^\d/.test(a), /^\d/.test(b)];
  if (isNumber && isOtherNumber) {
    const [left, right] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
    return left.length - right.length || compareTexts(left, right);
  }
  if (a === '' || b === '') return compareTexts(a, b);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return compareTexts(a, b);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
