// The container of a PDB: a file of fixed-size blocks that hold numbered streams.
// The layout is described in LLVM's documentation, "The MSF File Format".
import type { ByteSource } from '../byte-source.ts';
import { DebugSymbolsError } from '../error.ts';
import { u32 } from './bytes.ts';

const SIGNATURE = 'Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0';
/** Files of Visual C++ 6 and earlier begin with this and have 16-bit stream numbers. */
const OLD_SIGNATURE = 'Microsoft C/C++ program database 2.00\r\n\x1aJG\0\0';
const MIN_BLOCK_SIZE = 512;
const MAX_BLOCK_SIZE = 65_536;
const BLOCK_MAPS_AT = 52;
/** Bytes. The directory needs four bytes for each block, so this is enough for files of many gigabytes. */
const MAX_DIRECTORY_SIZE = 1 << 27;
/** The size that the directory gives for a stream that was deleted. */
const NO_STREAM = 0xffffffff;

/** Whether a file begins like a PDB, of any version. */
export function isPdb(source: ByteSource): boolean {
  return startsWith(source, SIGNATURE) || startsWith(source, OLD_SIGNATURE);
}

function startsWith(source: ByteSource, signature: string): boolean {
  if (source.size < signature.length) return false;
  const bytes = source.read(0, signature.length);
  for (let at = 0; at < signature.length; at++) if (bytes[at] !== signature.charCodeAt(at)) return false;
  return true;
}

/** The streams of an MSF file. */
export class Msf {
  readonly #source: ByteSource;
  readonly #blockSize: number;
  /** The directory as 32-bit numbers: the number of streams, their sizes, and then the blocks of each. */
  readonly #directory: Uint32Array;
  /** Where the blocks of each stream begin in the directory. */
  readonly #firstBlocks: Uint32Array;

  /** Throws a DebugSymbolsError if the file is not an MSF file of version 7, or its directory is not all there. */
  constructor(source: ByteSource) {
    if (startsWith(source, OLD_SIGNATURE)) {
      throw new DebugSymbolsError('unsupported', 'PDB files of version 2 (Visual C++ 6 and earlier) are not supported');
    }
    if (!startsWith(source, SIGNATURE)) throw new DebugSymbolsError('unknown-format', 'the file is not a PDB');
    this.#source = source;
    const header = source.read(0, BLOCK_MAPS_AT);
    this.#blockSize = u32(header, 32);
    this.#checkSize(u32(header, 40));
    this.#directory = this.#readDirectory(u32(header, 44));
    this.#firstBlocks = this.#indexStreams();
  }

  get streamCount(): number {
    return this.#firstBlocks.length;
  }

  /** Returns stream `index`, or undefined if the file has none of that number or it was deleted. */
  stream(index: number): MsfStream | undefined {
    if (index >= this.streamCount) return undefined;
    const size = this.#directory[1 + index]!;
    if (size === NO_STREAM) return undefined;
    const first = this.#firstBlocks[index]!;
    const blocks = this.#directory.subarray(first, first + Math.ceil(size / this.#blockSize));
    return new MsfStream(this.#source, this.#blockSize, blocks, size);
  }

  #checkSize(blocks: number): void {
    const size = this.#blockSize;
    if (size < MIN_BLOCK_SIZE || size > MAX_BLOCK_SIZE || (size & (size - 1)) !== 0) {
      throw new DebugSymbolsError('malformed', `the PDB has blocks of ${size} bytes`);
    }
    if (blocks * size <= this.#source.size) return;
    throw new DebugSymbolsError('truncated', `the PDB should have ${blocks * size} bytes, not ${this.#source.size}`);
  }

  /**
   * Reads the directory. The header has the numbers of the blocks that hold the numbers of the blocks of the directory:
   * one for nearly all files, more for those with so many streams that one block is too small for the list.
   */
  #readDirectory(bytes: number): Uint32Array {
    if (bytes > Math.min(this.#source.size, MAX_DIRECTORY_SIZE)) {
      throw new DebugSymbolsError('malformed', `the PDB has a stream directory of ${bytes} bytes`);
    }
    const blocks = Math.ceil(bytes / this.#blockSize);
    const maps = Math.ceil((blocks * 4) / this.#blockSize);
    if (BLOCK_MAPS_AT + maps * 4 > this.#blockSize) {
      throw new DebugSymbolsError('malformed', `the PDB has ${maps} blocks with the places of its stream directory`);
    }
    const mapBlocks = toNumbers(this.#source.read(BLOCK_MAPS_AT, maps * 4));
    const map = new MsfStream(this.#source, this.#blockSize, mapBlocks, blocks * 4);
    const directory = new MsfStream(this.#source, this.#blockSize, toNumbers(map.read(0, blocks * 4)), bytes);
    return toNumbers(directory.read(0, bytes));
  }

  #indexStreams(): Uint32Array {
    const directory = this.#directory;
    const count = directory[0] ?? 0;
    if (1 + count > directory.length) {
      throw new DebugSymbolsError('malformed', `the PDB has ${count} streams, but a directory too small for them`);
    }
    const firsts = new Uint32Array(count);
    let next = 1 + count;
    for (let index = 0; index < count; index++) {
      firsts[index] = next;
      const size = directory[1 + index]!;
      if (size === NO_STREAM) continue;
      // A stream cannot be larger than the file, unless the same blocks are listed many times to exhaust the memory.
      if (size > this.#source.size) {
        throw new DebugSymbolsError('malformed', `stream ${index} of the PDB has ${size} bytes, more than the file`);
      }
      next += Math.ceil(size / this.#blockSize);
    }
    if (next > directory.length) {
      throw new DebugSymbolsError('truncated', 'the stream directory of the PDB ends before its last stream');
    }
    return firsts;
  }
}

/** One stream. Nothing is read before it is asked for. */
export class MsfStream implements ByteSource {
  readonly size: number;
  readonly #source: ByteSource;
  readonly #blockSize: number;
  readonly #blocks: Uint32Array;

  constructor(source: ByteSource, blockSize: number, blocks: Uint32Array, size: number) {
    this.#source = source;
    this.#blockSize = blockSize;
    this.#blocks = blocks;
    this.size = size;
  }

  read(position: number, length: number): Uint8Array {
    if (!(position >= 0 && length >= 0 && position + length <= this.size)) {
      throw new DebugSymbolsError(
        'truncated',
        `it is damaged: ${length} bytes at ${position} are outside a stream of ${this.size}`,
      );
    }
    // An empty stream has no block to read from.
    if (length === 0) return new Uint8Array();
    const first = this.#run(position, length);
    // Linkers mostly write the blocks of a stream one after another, so that nothing has to be copied.
    if (first === length) return this.#source.read(this.#place(position), length);
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const run = this.#run(position + done, length - done);
      bytes.set(this.#source.read(this.#place(position + done), run), done);
      done += run;
    }
    return bytes;
  }

  readAll(): Uint8Array {
    return this.read(0, this.size);
  }

  /** Counts the bytes from `position` on, at most `length`, that are next to each other in the file. */
  #run(position: number, length: number): number {
    let index = Math.floor(position / this.#blockSize);
    let run = (index + 1) * this.#blockSize - position;
    for (; run < length && this.#blocks[index + 1] === this.#blocks[index]! + 1; index++) run += this.#blockSize;
    return Math.min(run, length);
  }

  #place(position: number): number {
    const index = Math.floor(position / this.#blockSize);
    return this.#blocks[index]! * this.#blockSize + (position % this.#blockSize);
  }
}

function toNumbers(bytes: Uint8Array): Uint32Array {
  const numbers = new Uint32Array(Math.floor(bytes.length / 4));
  for (let index = 0; index < numbers.length; index++) numbers[index] = u32(bytes, index * 4);
  return numbers;
}
