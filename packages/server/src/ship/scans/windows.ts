// Scans content of any length with a scanner that limits the length of a stream.
import { MIB } from '@chauffeur/contract/limits';
import type { Scanner, Verdict } from '../../kernel/scanner/scanner.ts';

/** Consecutive windows overlap by this much, so a pattern across their border is complete in one of them. */
const OVERLAP_BYTES = MIB;

/**
 * Scans every byte of `content` in windows of the scanner's stream limit; content up to that limit is one window.
 * Returns the first verdict that is not clean, possibly without reading the rest of `content`.
 */
export async function scanInWindows(scanner: Scanner, content: AsyncIterable<Uint8Array>): Promise<Verdict> {
  const windows = new Windows(content, scanner.streamLimit);
  while (await windows.hasMore()) {
    const verdict = await scanner.scan(windows.next());
    if (verdict.result !== 'clean') return verdict;
  }
  return { result: 'clean' };
}

/** Cuts content into overlapping windows. Keeps only the overlap and one buffer of the content in memory. */
class Windows {
  readonly #content: AsyncIterator<Uint8Array>;
  readonly #limit: number;
  readonly #overlap: number;
  /** The last buffers that were returned, at least as long as the overlap. */
  #tail: Uint8Array[] = [];
  #tailBytes = 0;
  #rest: Uint8Array = new Uint8Array();

  constructor(content: AsyncIterable<Uint8Array>, limit: number) {
    this.#content = content[Symbol.asyncIterator]();
    this.#limit = limit;
    this.#overlap = Math.min(OVERLAP_BYTES, Math.floor(limit / 8));
  }

  /** Whether there is content that has not been in a window yet. */
  async hasMore(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#content.next();
      if (done) return false;
      this.#rest = value;
    }
    return true;
  }

  /** The bytes of the next window: the overlap and the content after it. Read each window to its end. */
  async *next(): AsyncGenerator<Uint8Array, undefined> {
    let room = this.#limit;
    if (this.#tailBytes > 0) {
      const overlap = Buffer.concat(this.#tail).subarray(-this.#overlap);
      this.#tail = [overlap];
      this.#tailBytes = overlap.length;
      room -= overlap.length;
      yield overlap;
    }
    while (room > 0 && (await this.hasMore())) {
      const part = this.#rest.subarray(0, room);
      this.#rest = this.#rest.subarray(part.length);
      room -= part.length;
      this.#remember(part);
      yield part;
    }
  }

  #remember(part: Uint8Array): void {
    this.#tail.push(part);
    this.#tailBytes += part.length;
    while (this.#tailBytes - this.#tail[0]!.length >= this.#overlap) this.#tailBytes -= this.#tail.shift()!.length;
  }
}
