// Reads numbers and text from bytes that nobody has checked: every access is bounded, in either byte order.
import { MinidumpError } from './error.ts';

/**
 * A window on a file. Positions count from the window’s start; what lies outside throws `truncated`.
 * Windows share one view, so that a hundred thousand of them (a region of memory each) cost little.
 */
export class Bytes {
  readonly littleEndian: boolean;
  readonly size: number;
  readonly #view: DataView;
  readonly #start: number;

  /** `size` bytes of `memory` from `start`: all of it, unless told otherwise. */
  constructor(memory: ArrayBufferView, littleEndian: boolean, start = 0, size = memory.byteLength) {
    this.littleEndian = littleEndian;
    this.size = size;
    this.#view =
      memory instanceof DataView ? memory : new DataView(memory.buffer, memory.byteOffset, memory.byteLength);
    this.#start = start;
  }

  /** The bytes themselves; shares the memory. */
  get array(): Uint8Array {
    return new Uint8Array(this.#view.buffer, this.#view.byteOffset + this.#start, this.size);
  }

  u8(at: number): number {
    this.#check(at, 1);
    return this.#view.getUint8(this.#start + at);
  }

  u16(at: number): number {
    this.#check(at, 2);
    return this.#view.getUint16(this.#start + at, this.littleEndian);
  }

  u32(at: number): number {
    this.#check(at, 4);
    return this.#view.getUint32(this.#start + at, this.littleEndian);
  }

  u64(at: number): bigint {
    this.#check(at, 8);
    return this.#view.getBigUint64(this.#start + at, this.littleEndian);
  }

  /** A window on `size` bytes at `at`; shares the memory. */
  window(at: number, size: number): Bytes {
    this.#check(at, size);
    return new Bytes(this.#view, this.littleEndian, this.#start + at, size);
  }

  cursor(at = 0): Cursor {
    return new Cursor(this, at);
  }

  #check(at: number, size: number): void {
    if (at >= 0 && size >= 0 && at + size <= this.size) return;
    throw new MinidumpError('truncated', `${size} bytes at ${at} lie outside the ${this.size} bytes that there are`);
  }
}

/** Reads one field after the other, as a structure lays them out. */
export class Cursor {
  readonly bytes: Bytes;
  at: number;

  constructor(bytes: Bytes, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  get left(): number {
    return this.bytes.size - this.at;
  }

  u8(): number {
    return this.bytes.u8(this.#move(1));
  }

  u16(): number {
    return this.bytes.u16(this.#move(2));
  }

  u32(): number {
    return this.bytes.u32(this.#move(4));
  }

  u64(): bigint {
    return this.bytes.u64(this.#move(8));
  }

  /** A window on the next `size` bytes. */
  window(size: number): Bytes {
    return this.bytes.window(this.#move(size), size);
  }

  skip(size: number): void {
    this.#move(size);
  }

  #move(size: number): number {
    const { at } = this;
    this.at += size;
    return at;
  }
}
