// Scans the parts of a zip, small ones concurrently, and collects the verdicts.
import { Readable } from 'node:stream';
import { MIB } from '@chauffeur/contract/limits';
import type { Scanner } from '../../kernel/scanner/scanner.ts';
import { Lanes } from './lanes.ts';
import { scanInWindows } from './windows.ts';

/** Parts up to this size are held in memory and scanned while reading continues, because most of a scan is waiting. */
const SMALL_BYTES = MIB;
/** clamd has ten threads by default, and other jobs need some of them. */
const LANES = 4;

export class PartScans {
  readonly #scanner: Scanner;
  readonly #lanes = new Lanes(LANES);
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

  /** Scans `size` bytes; `place` names them in messages. Rejects if this scan or an earlier one failed. */
  async add(place: string, content: AsyncIterable<Uint8Array>, size: number): Promise<void> {
    if (size > SMALL_BYTES) return this.#scan(place, content);
    const bytes = Buffer.concat(await Array.fromAsync(content));
    await this.#lanes.add(() => this.#scan(place, Readable.from([bytes])));
  }

  /** Waits for all scans and returns the places that were not scanned, with the reason, in the order of `add`. */
  async finish(): Promise<string[]> {
    await this.#lanes.drain();
    return this.#unscanned.toSorted((a, b) => a.order - b.order).map(({ description }) => description);
  }

  async #scan(place: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const order = this.#count++;
    const verdict = await scanInWindows(this.#scanner, content);
    if (verdict.result === 'infected') this.#infected ??= describeInfected(verdict.signature, place);
    if (verdict.result === 'not-scanned') this.#unscanned.push({ order, description: `${place} (${verdict.reason})` });
  }
}

/** Describes a finding for the developer. */
export function describeInfected(signature: string, place: string): string {
  return `The scanner found ${signature} in ${place}.`;
}
