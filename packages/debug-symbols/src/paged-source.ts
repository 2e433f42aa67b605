// Reads a large source in pages, of which the latest are kept, for many small reads that are mostly near each other.
import type { ByteSource, SharedSource } from './byte-source.ts';
import { MAX_TEXT } from './cursor.ts';

const PAGE = 64 * 1024;

export class PagedSource implements ByteSource {
  readonly #source: ByteSource;
  readonly #maximum: number;
  readonly #pages = new Map<number, Uint8Array>();
  /** The page of the latest read. */
  #number = -1;
  #page: Uint8Array = new Uint8Array();

  /** Keeps up to `kept` bytes, but at least one page. */
  constructor(source: ByteSource, kept: number) {
    this.#source = source;
    this.#maximum = Math.max(1, Math.floor(kept / PAGE));
  }

  get size(): number {
    return this.#source.size;
  }

  read(position: number, length: number): Uint8Array {
    const number = Math.floor(position / PAGE);
    const at = position - number * PAGE;
    if (!(position >= 0) || at + length > PAGE) return this.#source.read(position, length);
    const page = this.#pageOf(number);
    return at + length <= page.length ? page.subarray(at, at + length) : this.#source.read(position, length);
  }

  share(): SharedSource | undefined {
    return this.#source.share?.();
  }

  /** The bytes from `position` to the end of its page; none outside of the source. */
  #rest(position: number): Uint8Array {
    if (!(position >= 0) || position >= this.size) return this.#page.subarray(0, 0);
    const number = Math.floor(position / PAGE);
    return this.#pageOf(number).subarray(position - number * PAGE);
  }

  /** The text that ends with a zero byte, as UTF-8. Empty outside of the source. */
  text(position: number): string {
    let bytes = this.#rest(position);
    let end = bytes.indexOf(0);
    if (end < 0) {
      const left = Math.max(0, Math.min(MAX_TEXT, this.size - position));
      bytes = left === 0 ? bytes : this.#source.read(position, left);
      end = bytes.indexOf(0);
    }
    return toText(bytes, Math.min(MAX_TEXT, end < 0 ? bytes.length : end));
  }

  /** Whether there is no text at a position. */
  isEmpty(position: number): boolean {
    return (this.#rest(position)[0] ?? 0) === 0;
  }

  #pageOf(number: number): Uint8Array {
    if (number === this.#number) return this.#page;
    let page = this.#pages.get(number);
    if (page === undefined) {
      const at = number * PAGE;
      page = this.#source.read(at, Math.max(0, Math.min(PAGE, this.size - at)));
      const [oldest] = this.#pages.keys();
      if (this.#pages.size >= this.#maximum && oldest !== undefined) this.#pages.delete(oldest);
      this.#pages.set(number, page);
    }
    this.#number = number;
    this.#page = page;
    return page;
  }
}

function toText(bytes: Uint8Array, length: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('utf8');
}
