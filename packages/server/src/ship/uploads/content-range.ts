// Parses the Content-Range header of a chunk.

/** The bytes from `start` to `end`, both inclusive, of `total`. */
export type ContentRange = { start: number; end: number; total: number };

const PATTERN = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/i;

/** Parses `bytes <start>-<end>/<total>` (RFC 9110, section 14.4; the total is required). Null if malformed. */
export function parseContentRange(header: string): ContentRange | null {
  const [, start, end, total] = PATTERN.exec(header.trim())?.map(Number) ?? [];
  if (start === undefined || end === undefined || total === undefined) return null;
  return start <= end && end < total ? { start, end, total } : null;
}
