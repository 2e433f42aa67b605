// Counts the requests that are being taken, by key. A key with many of them sends more than can be taken at the moment.

/** Enough for rows of many requests to be written together. */
const CROWD = 16;

export class Crowds {
  readonly #taking = new Map<string, number>();
  #crowded = 0;

  isCrowded(key: string): boolean {
    return (this.#taking.get(key) ?? 0) >= CROWD;
  }

  get isAnyCrowded(): boolean {
    return this.#crowded > 0;
  }

  async count<T>(key: string, take: () => Promise<T>): Promise<T> {
    this.#add(key, 1);
    try {
      return await take();
    } finally {
      this.#add(key, -1);
    }
  }

  #add(key: string, change: 1 | -1): void {
    const before = this.#taking.get(key) ?? 0;
    const after = before + change;
    if (after === 0) this.#taking.delete(key);
    else this.#taking.set(key, after);
    this.#crowded += Number(after >= CROWD) - Number(before >= CROWD);
  }
}
