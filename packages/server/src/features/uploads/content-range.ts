// Reads the Content-Range header of a chunk.

/** Bytes `start` to `end`, both included, of `total`. */
export type ContentRange = { start: number; end: number; total: number };

const FORM = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/i;

/** The range of `bytes <start>-<end>/<total>` (RFC 9110, section 14.4; here the total must be known); null when malformed. */
export function parseContentRange(header: string): ContentRange | null {
  const [, start, end, total] = FORM.exec(header.trim())?.map(Number) ?? [];
  if (start === undefined || end === undefined || total === undefined) return null;
  return start <= end && end < total ? { start, end, total } : null;
}
