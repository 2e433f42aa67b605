// Shows the progress of a long conversion on one line of a terminal, which is cleared in the end.

type Terminal = { readonly columns?: number; write(text: string): unknown };

const BAR_WIDTH = 28;
/** Most conversions are over before. */
const FIRST_MS = 1000;
const INTERVAL_MS = 100;
const CLEAR = '\r\x1b[K';

export class ProgressLine {
  readonly #terminal: Terminal;
  readonly #now: () => number;
  readonly #start: number;
  #last = Number.NEGATIVE_INFINITY;
  #isShown = false;

  constructor(terminal: Terminal, now: () => number = () => performance.now()) {
    this.#terminal = terminal;
    this.#now = now;
    this.#start = now();
  }

  /** Shows what is being done, and how many bytes of it are. */
  show(label: string, done: number, total: number): void {
    const now = this.#now();
    if (now - this.#start < FIRST_MS || now - this.#last < INTERVAL_MS) return;
    this.#last = now;
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const filled = Math.round(BAR_WIDTH * share);
    const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
    const line = `${label} ${bar} ${Math.floor(share * 100)}% (${megabytes(done)} of ${megabytes(total)})`;
    // A longer line would not go away.
    const room = (this.#terminal.columns ?? 80) - 1;
    this.#terminal.write(`${CLEAR}${line.slice(0, room)}`);
    this.#isShown = true;
  }

  clear(): void {
    if (this.#isShown) this.#terminal.write(CLEAR);
    this.#isShown = false;
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(0)} MiB`;
}
