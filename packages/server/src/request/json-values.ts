// Checks of values from JSON bodies that are validated by hand.

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether `text` has more than `max` code points, the unit of every length limit. */
export function isLonger(text: string, max: number): boolean {
  // A code point takes one or two units, so only lengths in between need counting.
  return text.length > max && (text.length > 2 * max || [...text].length > max);
}
