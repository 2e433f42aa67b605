// Tells a browser under which name it saves a download.

/** encodeURIComponent leaves these alone, but they are no attr-char of RFC 8187. */
const NOT_ATTR_CHAR = /['()*]/g;

/**
 * The value of Content-Disposition (RFC 6266) for a download named `filename`: a plain ASCII name that every client reads,
 * and the full one in UTF-8 (RFC 8187) where the two differ.
 */
export function attachment(filename: string): string {
  // A lone surrogate has no UTF-8, and a path or control character has no place in a name.
  const name = filename.toWellFormed().replace(/[\p{Cc}/\\]/gu, '_');
  const plain = name.replace(/[^\x20-\x7e]/gu, '_').replaceAll('"', "'");
  // Some clients decode percent signs in the plain name, so such a name is given in the exact form as well.
  if (plain === name && !name.includes('%')) return `attachment; filename="${plain}"`;
  const exact = encodeURIComponent(name).replace(NOT_ATTR_CHAR, percentEncode);
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
