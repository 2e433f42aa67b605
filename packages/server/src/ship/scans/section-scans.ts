// Scans the contents of a zip, small ones concurrently, and collects the verdicts. Content that is longer than what the
// scanner takes as one stream is scanned in windows that overlap.
import { Readable } from 'node:stream';
import { MIB } from '@chauffeur/contract/limits';
import type { Scanner, ScanVerdict } from '../../kernel/scanner/scanner.ts';

/**
 * Contents up to this size are held in memory and scanned while reading continues, because most of a scan is waiting.
 */
const SMALL_BYTES = MIB;
/** clamd has ten threads by default, and other jobs need some of them. */
const MAX_TASKS = 4;

export class SectionScans {
  readonly #scanner: Scanner;
  readonly #slots = new TaskSlots(MAX_TASKS);
  readonly #unscanned: { order: number; description: string }[] = [];
  #count = 0;
  #infected: string | null = null;

  constructor(scanner: Scanner) {
    this.#scanner = scanner;
  }

  /** The first finding as a sentence; null if there is none. */
  get infected(): string | null {
    return this.#infected;
  }

  /** Scans `size` bytes; `name` names them in messages. Rejects if this scan or an earlier one failed. */
  async add(name: string, content: AsyncIterable<Uint8Array>, size: number): Promise<void> {
    if (size > SMALL_BYTES) return this.#scan(name, content);
    const bytes = Buffer.concat(await Array.fromAsync(content));
    await this.#slots.add(() => this.#scan(name, Readable.from([bytes])));
  }

  /**
   * Waits for all scans and returns the names of contents that were not scanned, with the reason, in the order of
   * `add`.
   */
  async finish(): Promise<string[]> {
    await this.#slots.drain();
    return this.#unscanned.toSorted((a, b) => a.order - b.order).map(({ description }) => description);
  }

  async #scan(name: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const order = this.#count++;
    const verdict = await scanInWindows(this.#scanner, content);
    if (verdict.result === 'infected') this.#infected ??= describeInfected(verdict.signature, name);
    if (verdict.result === 'not-scanned') this.#unscanned.push({ order, description: `${name} (${verdict.reason})` });
  }
}

/** Describes a finding for the developer. */
export function describeInfected(signature: string, name: string): string {
  return `The scanner found ${signature} in ${name}.`;
}

export class TaskSlots {
  readonly #size: number;
  readonly #running = new Set<Promise<void>>();

  constructor(size: number) {
    this.#size = size;
  }

  /** Starts `task` when a slot is free. Rejects if all slots are taken and an earlier task has failed. */
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

/** Consecutive windows overlap by this much, so a pattern across their border is complete in one of them. */
const OVERLAP_BYTES = MIB;

/**
 * Scans every byte of `content` in windows of the scanner's stream limit; content up to that limit is one window.
 * Returns the first verdict that is not clean, possibly without reading the rest of `content`.
 */
export async function scanInWindows(scanner: Scanner, content: AsyncIterable<Uint8Array>): Promise<ScanVerdict> {
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
