// Reads the time that a client says an event is from.

/** Seconds since 1970 stay below it for three thousand years; milliseconds have been above it since 1973. */
const MILLISECONDS_FROM = 1e11;
const END = Date.UTC(10_000, 0);
const LONGEST = 40;

/**
 * Milliseconds since 1970 of an ISO 8601 text, or of seconds or milliseconds since 1970, also where they are written as a text. Null for
 * what cannot be read or lies outside of the years 1970 to 9999: a clock that is wrong must not cost the event.
 */
export function readClientTime(value: unknown): number | null {
  const time = typeof value === 'string' ? fromText(value) : fromNumber(value);
  return time >= 0 && time < END ? Math.round(time) : null;
}

function fromText(text: string): number {
  if (text.length > LONGEST) return Number.NaN;
  return /^\d+(\.\d+)?$/.test(text) ? fromNumber(Number(text)) : Date.parse(text);
}

function fromNumber(value: unknown): number {
  if (typeof value !== 'number') return Number.NaN;
  return value < MILLISECONDS_FROM ? value * 1000 : value;
}
