// The checksums in .xz files.
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

export interface Checksum {
  /** Bytes in the file. */
  readonly size: number;
  update(bytes: Uint8Array): void;
  /** The bytes that the file should have; undefined for a checksum of an unknown kind. */
  digest(): Uint8Array | undefined;
}

const CRC32 = 1;
const CRC64 = 4;
const SHA256 = 10;

/** The kinds come in groups of three of the same size. */
const SIZES = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];

export function checksumOf(kind: number): Checksum {
  if (kind === CRC32) return new Crc32();
  if (kind === CRC64) return new Crc64();
  if (kind === SHA256) return new Sha256();
  return { size: SIZES[kind] ?? 0, update: () => {}, digest: () => undefined };
}

class Crc32 implements Checksum {
  readonly size = 4;
  #value = 0;

  update(bytes: Uint8Array): void {
    this.#value = crc32(bytes, this.#value);
  }

  digest(): Uint8Array {
    return littleEndian(this.#value);
  }
}

class Sha256 implements Checksum {
  readonly size = 32;
  readonly #hash = createHash('sha256');

  update(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  digest(): Uint8Array {
    return this.#hash.digest();
  }
}

/** ECMA-182, with its bits reversed, in two halves: numbers of JavaScript have only 53 bits. */
const POLYNOMIAL = { low: 0xd787_0f42, high: 0xc96c_5795 };
const [LOW, HIGH] = crcTables();

function crcTables(): [Uint32Array, Uint32Array] {
  const tables: [Uint32Array, Uint32Array] = [new Uint32Array(256), new Uint32Array(256)];
  for (let byte = 0; byte < 256; byte += 1) {
    let [low, high] = [byte, 0];
    for (let bit = 0; bit < 8; bit += 1) {
      const isOdd = (low & 1) !== 0;
      low = (low >>> 1) | (high << 31);
      high >>>= 1;
      if (isOdd) [low, high] = [low ^ POLYNOMIAL.low, high ^ POLYNOMIAL.high];
    }
    tables[0][byte] = low;
    tables[1][byte] = high;
  }
  return tables;
}

class Crc64 implements Checksum {
  readonly size = 8;
  #low = -1;
  #high = -1;

  update(bytes: Uint8Array): void {
    let [low, high] = [this.#low, this.#high];
    for (let at = 0; at < bytes.length; at += 1) {
      const index = (low ^ bytes[at]!) & 0xff;
      low = ((low >>> 8) | (high << 24)) ^ LOW[index]!;
      high = (high >>> 8) ^ HIGH[index]!;
    }
    this.#low = low;
    this.#high = high;
  }

  digest(): Uint8Array {
    return littleEndian(~this.#low, ~this.#high);
  }
}

function littleEndian(...values: number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * 4);
  const view = new DataView(bytes.buffer);
  for (const [index, value] of values.entries()) view.setUint32(index * 4, value >>> 0, true);
  return bytes;
}
