// Opens PE files: the programs and libraries of Windows.
import { type ByteSource, PartSource } from '../byte-source.ts';
import { DebugSymbolsError } from '../error.ts';
import { BlockReader } from './block-reader.ts';
import { type Headers, type PeCpu, readHeaders } from './headers.ts';
import type { Section } from './sections.ts';

/** An open PE file. Only the headers are in memory. Addresses are relative to the image base. */
export class Pe {
  readonly headers: Headers;
  readonly source: ByteSource;
  /** Reads at file offsets, which `offsetOf` returns. */
  readonly reader: BlockReader;
  /** The sections by ascending address. */
  readonly #sections: Section[];
  #last: Section | undefined;

  /** Throws a DebugSymbolsError if the headers are damaged. */
  constructor(source: ByteSource) {
    this.source = source;
    this.reader = new BlockReader(source);
    this.headers = readHeaders(source);
    this.#sections = separate(this.headers.sections);
  }

  get cpu(): PeCpu {
    return this.headers.cpu;
  }

  /** Whether the file was split off a program with `objcopy`, so that the sections of code are empty. */
  isDebugFile(): boolean {
    const hasCode = this.headers.sections.some(({ isExecutable, fileSize }) => isExecutable && fileSize > 0);
    return !hasCode && this.section('.debug_info') !== undefined;
  }

  /**
   * The code identifier as in an `INFO CODE_ID` line: the time stamp in eight hexadecimal digits, and the image size in as
   * few as it needs.
   */
  get codeId(): string {
    const { timestamp, imageSize } = this.headers;
    return (timestamp.toString(16).padStart(8, '0') + imageSize.toString(16)).toUpperCase();
  }

  /** Returns the contents of a section in the file; undefined if there is no such section. */
  section(name: string): ByteSource | undefined {
    const section = this.headers.sections.find((candidate) => candidate.name === name);
    return section && new PartSource(this.source, Math.min(section.offset, this.source.size), section.fileSize);
  }

  /** Returns the section with an address; undefined for the headers and for addresses that nothing has. */
  sectionAt(address: number): Section | undefined {
    const last = this.#last;
    if (last !== undefined && address >= last.address && address < last.address + last.size) return last;
    let [low, high] = [0, this.#sections.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#sections[middle]!.address <= address) low = middle + 1;
      else high = middle;
    }
    const section = this.#sections[low - 1];
    if (section === undefined || address >= section.address + section.size) return undefined;
    this.#last = section;
    return section;
  }

  /** Returns where an address is in the file. Throws a DebugSymbolsError `truncated` if it is not there. */
  offsetOf(address: number): number {
    const section = this.sectionAt(address);
    const start = section?.address ?? 0;
    const fileSize = section?.fileSize ?? Math.min(this.headers.headerSize, this.source.size);
    if (address - start >= fileSize) {
      throw new DebugSymbolsError('truncated', `the file has no bytes for the address 0x${address.toString(16)}`);
    }
    return address - start + (section?.offset ?? 0);
  }

  /**
   * Returns the bytes from an address on: `size` bytes, or fewer if the section has no more in the file. Throws a
   * DebugSymbolsError `truncated` if it has none there.
   */
  part(address: number, size: number): ByteSource {
    const offset = this.offsetOf(address);
    const section = this.sectionAt(address);
    const end = section === undefined ? this.headers.headerSize : section.offset + section.fileSize;
    return new PartSource(this.source, offset, Math.min(size, Math.min(end, this.source.size) - offset));
  }

  /** Returns the bytes of a standard table, without what is missing in the file; undefined if there is no such table. */
  directory(number: number): ByteSource | undefined {
    const directory = this.headers.directories[number];
    if (directory === undefined || directory.address === 0 || directory.size === 0) return undefined;
    return this.part(directory.address, directory.size);
  }
}

/** Returns the sections by ascending address. A section that reaches into the next one is damaged, and ends there. */
function separate(sections: readonly Section[]): Section[] {
  const sorted = sections.toSorted((a, b) => a.address - b.address);
  return sorted.map((section, index) => {
    const space = (sorted[index + 1]?.address ?? Number.POSITIVE_INFINITY) - section.address;
    return { ...section, size: Math.min(section.size, space), fileSize: Math.min(section.fileSize, space) };
  });
}

/** Throws a DebugSymbolsError: `unknown-format`, `truncated`, `malformed`, or `unsupported` for another CPU. */
export function openPe(source: ByteSource): Pe {
  return new Pe(source);
}
