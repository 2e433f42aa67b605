// Scans the parts of a zip and gathers what the scanner says, small parts side by side.
import { Readable } from 'node:stream';
import { MIB } from '@chauffeur/contract/limits';
import type { Scanner } from '../../kernel/scanner/scanner.ts';
import { Lanes } from './lanes.ts';
import { scanInWindows } from './windows.ts';

/** Parts up to this size are held in memory and scanned while the zip is read on: most of their time is waiting. */
const SMALL_BYTES = MIB;
/** clamd has ten threads where it is not told otherwise, and other jobs may want some. */
const LANES = 4;

export class PartScans {
  readonly #scanner: Scanner;
  readonly #lanes = new Lanes(LANES);
  readonly #unscanned: { order: number; what: string }[] = [];
  #count = 0;
  #infected: string | null = null;

  constructor(scanner: Scanner) {
    this.#scanner = scanner;
  }

  /** What was found and where, as a sentence; null while nothing was. */
  get infected(): string | null {
    return this.#infected;
  }

  /** Scans `size` bytes that are to be found in `place`. Rejects with what went wrong in this scan or an earlier one. */
  async add(place: string, content: AsyncIterable<Uint8Array>, size: number): Promise<void> {
    if (size > SMALL_BYTES) return this.#scan(place, content);
    const held = Buffer.concat(await Array.fromAsync(content));
    await this.#lanes.add(() => this.#scan(place, Readable.from([held])));
  }

  /** Waits for all scans, and tells what the scanner did not look at and why, in the order of `add`. */
  async finish(): Promise<string[]> {
    await this.#lanes.drain();
    return this.#unscanned.toSorted((a, b) => a.order - b.order).map(({ what }) => what);
  }

  async #scan(place: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const order = this.#count++;
    const verdict = await scanInWindows(this.#scanner, content);
    if (verdict.result === 'infected') this.#infected ??= describeInfected(verdict.signature, place);
    if (verdict.result === 'not-scanned') this.#unscanned.push({ order, what: `${place} (${verdict.reason})` });
  }
}

/** A finding as a sentence for the developer. */
export function describeInfected(signature: string, place: string): string {
  return `The scanner found ${signature} in ${place}.`;
}
