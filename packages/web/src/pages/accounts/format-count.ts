// Writes how many there are of something.

/** `1 session`, `2 sessions`, `0 sessions`. */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
