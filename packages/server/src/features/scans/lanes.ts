// Runs tasks side by side, a few at a time.

/** Up to `width` tasks run at once. A failure reaches the caller at the latest by `drain`. */
export class Lanes {
  readonly #width: number;
  readonly #running = new Set<Promise<void>>();

  constructor(width: number) {
    this.#width = width;
  }

  /** Starts `task` once there is room. Rejects when an earlier one has failed and there is none. */
  async add(task: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#width) await Promise.race(this.#running);
    // A task that fails stays in the set, for `add` and `drain` to find.
    const running: Promise<void> = task().then(() => void this.#running.delete(running));
    this.#running.add(running);
    running.catch(() => {});
  }

  /** Waits for all tasks. Rejects with the first failure. */
  async drain(): Promise<void> {
    await Promise.all(this.#running);
  }
}
