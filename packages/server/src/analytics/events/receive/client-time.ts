// Reads the time that a client sent with an event.

/**
 * Numbers from this one on are milliseconds: in seconds it would be the year 5138, in milliseconds it is March 1973.
 */
const MILLISECONDS_FROM = 1e11;
const END = Date.UTC(10_000, 0);
const MAX_LENGTH = 40;

/**
 * Milliseconds since 1970, from an ISO 8601 text or from a number of seconds or milliseconds, which may also be a text.
 * Null for anything else and for times outside the years 1970 to 9999, so an event with an invalid time is still
 * accepted.
 */
export function readClientTime(value: unknown): number | null {
  const time = typeof value === 'string' ? fromText(value) : fromNumber(value);
  return time >= 0 && time < END ? Math.round(time) : null;
}

function fromText(text: string): number {
  if (text.length > MAX_LENGTH) return Number.NaN;
  return /^\d+(\.\d+)?$/.test(text) ? fromNumber(Number(text)) : Date.parse(text);
}

function fromNumber(value: unknown): number {
  if (typeof value !== 'number') return Number.NaN;
  return value < MILLISECONDS_FROM ? value * 1000 : value;
}
