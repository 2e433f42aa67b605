// The strings that modules share: the paths of source files and the programs of frame data.
import type { ByteSource } from '../byte-source.ts';
import { DebugSymbolsError } from '../error.ts';
import { readString, u32 } from './bytes.ts';

const SIGNATURE = 0xeffeeffe;
const HEADER_SIZE = 12;
/** Bytes. Even large programs have far fewer paths and programs. */
const MAX_SIZE = 1 << 28;

/** The stream `/names`. Strings are addressed by their offset. */
export class StringTable {
  readonly #bytes: Uint8Array;

  /** A table without a stream, or with an unknown header, has no strings. Throws a DebugSymbolsError if it is too large. */
  constructor(stream: ByteSource | undefined) {
    if (stream !== undefined && stream.size > MAX_SIZE) {
      throw new DebugSymbolsError('too-large', `the PDB has ${stream.size} bytes of strings`);
    }
    const all = stream === undefined ? new Uint8Array() : stream.read(0, stream.size);
    const known = all.length >= HEADER_SIZE && u32(all, 0) === SIGNATURE;
    this.#bytes = known ? all.subarray(HEADER_SIZE, HEADER_SIZE + u32(all, 8)) : new Uint8Array();
  }

  /** Returns the string at `offset`, or an empty one if it is outside the table. */
  string(offset: number): string {
    return readString(this.#bytes, offset, this.#bytes.length);
  }
}
