// What one thread can do while others work.

/** What can be done at any time until `finish`, which throws what went wrong. */
export class Errand {
  readonly #run: () => void;
  #isDone = false;
  #error: unknown;

  constructor(run: () => void) {
    this.#run = run;
  }

  /** Does it now. */
  readonly start = (): void => {
    if (this.#isDone) return;
    this.#isDone = true;
    try {
      this.#run();
    } catch (error) {
      this.#error = error;
    }
  };

  finish(): void {
    this.start();
    if (this.#error !== undefined) throw this.#error;
  }
}
