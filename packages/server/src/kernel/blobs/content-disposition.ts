// Builds the Content-Disposition header, which names a download.

/** encodeURIComponent does not encode these characters, but RFC 8187 requires it. */
const NOT_ATTR_CHAR = /['()*]/g;

/**
 * Returns Content-Disposition (RFC 6266) for a download named `filename`: a plain ASCII name, which every client reads,
 * and the full name in UTF-8 (RFC 8187) if the two differ.
 */
export function attachment(filename: string): string {
  // A lone surrogate has no UTF-8 form, and a file name cannot have path separators or control characters.
  const name = filename.toWellFormed().replace(/[\p{Cc}/\\]/gu, '_');
  const plain = name.replace(/[^\x20-\x7e]/gu, '_').replaceAll('"', "'");
  // Some clients decode percent signs in the plain name, so a name with one is sent in the exact form as well.
  if (plain === name && !name.includes('%')) return `attachment; filename="${plain}"`;
  const exact = encodeURIComponent(name).replace(NOT_ATTR_CHAR, percentEncode);
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
