// Runs tasks concurrently, a few at a time.

/** Runs up to `size` tasks concurrently. A failure reaches the caller through `add` or, at the latest, `drain`. */
export class Lanes {
  readonly #size: number;
  readonly #running = new Set<Promise<void>>();

  constructor(size: number) {
    this.#size = size;
  }

  /** Starts `task` when a lane is free. Rejects if all lanes are taken and an earlier task has failed. */
  async add(task: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#size) await Promise.race(this.#running);
    // A failed task stays in the set, where `add` and `drain` find it.
    const running: Promise<void> = task().then(() => void this.#running.delete(running));
    this.#running.add(running);
    running.catch(() => {});
  }

  /** Waits for all tasks. Rejects with the first failure. */
  async drain(): Promise<void> {
    await Promise.all(this.#running);
  }
}
