// Reads the structure of ELF files: sections, segments, symbols and identity (System V ABI, chapters 4 and 5).
import { type ByteSource, PartSource } from '../byte-source.ts';
import { Cursor, MAX_TEXT } from '../cursor.ts';
import { DebugSymbolsError } from '../error.ts';
import type { Scratch } from '../temporary-file.ts';
import { type CompressionHeader, inflateSection } from './compressed-section.ts';

export type ElfSection = {
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly address: number;
  readonly offset: number;
  /** Bytes in the file; of a section without contents, bytes in memory. */
  readonly size: number;
  /** The index of a related section, such as the strings of a symbol table. */
  readonly link: number;
};

type Segment = { type: number; flags: number; offset: number; address: number; fileSize: number; memorySize: number };

export const SECTION = { symbols: 2, strings: 3, note: 7, empty: 8, dynamicSymbols: 11 } as const;
const SEGMENT = { load: 1, dynamic: 2, note: 4 } as const;
export const FLAG = { executable: 4, allocated: 2, compressed: 0x800 } as const;

const NOTE_BUILD_ID = 3;
const DYNAMIC = { end: 0, strings: 5, soname: 14 } as const;
const MAX_SECTIONS = 1_000_000;

const CPUS: Readonly<Record<number, string>> = {
  3: 'x86',
  8: 'mips',
  40: 'arm',
  62: 'x86_64',
  183: 'arm64',
  243: 'riscv64',
};

export class Elf {
  readonly source: ByteSource;
  readonly is64: boolean;
  readonly littleEndian: boolean;
  /** Breakpad's name of the CPU, such as `x86_64`. */
  readonly cpu: string;
  readonly isRelocatable: boolean;
  readonly sections: readonly ElfSection[];
  /** The address at which the linker placed the start of the file. */
  readonly loadAddress: number;
  readonly #segments: readonly Segment[];
  /** What was read once. Decompression is slow. */
  readonly #contents = new Map<string, ByteSource | { readonly failure: unknown } | undefined>();
  /** Where large sections are decompressed. */
  readonly scratch: Scratch | undefined;

  /** Without `scratch`, decompressed sections have to fit in memory. */
  constructor(source: ByteSource, scratch?: Scratch) {
    this.source = source;
    this.scratch = scratch;
    const ident = source.read(0, 16);
    this.is64 = ident[4] === 2;
    this.littleEndian = ident[5] !== 2;
    if (!this.is64 && ident[4] !== 1) throw new DebugSymbolsError('malformed', 'the ELF file is of no known class');
    const header = new Cursor(source.read(16, (this.is64 ? 64 : 52) - 16), this.littleEndian);
    const type = header.u16();
    this.isRelocatable = type === 1;
    const machine = header.u16();
    const cpu = CPUS[machine];
    if (cpu === undefined)
      throw new DebugSymbolsError('unsupported', `ELF files for machine ${machine} are not supported`);
    this.cpu = cpu;
    header.skip(4);
    header.word(this.is64);
    const segmentsAt = header.word(this.is64);
    const sectionsAt = header.word(this.is64);
    header.skip(6);
    const [segmentSize, segmentCount] = [header.u16(), header.u16()];
    const [sectionSize, sectionCount, namesIndex] = [header.u16(), header.u16(), header.u16()];
    this.sections = sectionsAt === 0 ? [] : this.#readSections(sectionsAt, sectionSize, sectionCount, namesIndex);
    this.#segments = segmentsAt === 0 ? [] : this.#readSegments(segmentsAt, segmentSize, segmentCount);
    const starts = this.#segments.filter(({ type: of }) => of === SEGMENT.load).map(({ address }) => address);
    this.loadAddress = starts.length === 0 ? 0 : Math.min(...starts);
  }

  #readSections(at: number, size: number, count: number, namesIndex: number): ElfSection[] {
    if (size < (this.is64 ? 64 : 40)) throw new DebugSymbolsError('malformed', 'the section headers are too small');
    const first = this.#readSection(at, size, 0);
    // Files with very many sections have the numbers in the first header.
    const total = count === 0 ? first.size : count;
    const names = namesIndex === 0xffff ? first.link : namesIndex;
    if (total > MAX_SECTIONS) throw new DebugSymbolsError('too-large', `the file has ${total} sections`);
    if (total === 0) return [];
    const bytes = this.source.read(at, total * size);
    const raw = Array.from({ length: total }, (_, index) => this.#parseSection(bytes.subarray(index * size)));
    const strings = raw[names];
    const text = strings === undefined ? new Uint8Array() : this.source.read(strings.offset, strings.size);
    return raw.map(({ nameAt, ...section }) => ({ name: textAt(text, nameAt), ...section }));
  }

  #readSection(at: number, size: number, index: number) {
    return this.#parseSection(this.source.read(at + index * size, size));
  }

  #parseSection(bytes: Uint8Array) {
    const cursor = new Cursor(bytes, this.littleEndian);
    const nameAt = cursor.u32();
    const type = cursor.u32();
    const flags = cursor.word(this.is64);
    const address = cursor.word(this.is64);
    const offset = cursor.word(this.is64);
    const size = cursor.word(this.is64);
    return { nameAt, type, flags, address, offset, size, link: cursor.u32() };
  }

  #readSegments(at: number, size: number, count: number): Segment[] {
    if (size < (this.is64 ? 56 : 32)) throw new DebugSymbolsError('malformed', 'the program headers are too small');
    const bytes = this.source.read(at, size * count);
    return Array.from({ length: count }, (_, index) => {
      const cursor = new Cursor(bytes.subarray(index * size), this.littleEndian);
      const type = cursor.u32();
      let flags = this.is64 ? cursor.u32() : 0;
      const offset = cursor.word(this.is64);
      const address = cursor.word(this.is64);
      cursor.word(this.is64);
      const fileSize = cursor.word(this.is64);
      const memorySize = cursor.word(this.is64);
      if (!this.is64) flags = cursor.u32();
      return { type, flags, offset, address, fileSize, memorySize };
    });
  }

  /** The section with contents in this file, by name. */
  section(name: string): ElfSection | undefined {
    return this.sections.find((section) => section.name === name && section.type !== SECTION.empty && section.size > 0);
  }

  /** The contents of a section, without compression; undefined if the file has no such section. */
  contents(name: string): ByteSource | undefined {
    if (!this.#contents.has(name)) this.#contents.set(name, this.#tryContents(name));
    const found = this.#contents.get(name);
    if (found !== undefined && 'failure' in found) throw found.failure;
    return found;
  }

  /** A section that fails is not decompressed again for each unit that refers to it. */
  #tryContents(name: string) {
    try {
      return this.#readContents(name);
    } catch (failure) {
      return { failure };
    }
  }

  #readContents(name: string): ByteSource | undefined {
    const section = this.section(name);
    if (section !== undefined) return this.contentsOf(section);
    if (!name.startsWith('.debug_')) return undefined;
    const old = this.section(`.z${name.slice(1)}`);
    return old && this.#inflate(this.part(old), { kind: 'gnu' });
  }

  contentsOf(section: ElfSection): ByteSource {
    const part = this.part(section);
    if ((section.flags & FLAG.compressed) === 0) return part;
    return this.#inflate(part, { kind: 'elf', is64: this.is64, littleEndian: this.littleEndian });
  }

  #inflate(part: ByteSource, header: CompressionHeader): ByteSource {
    return inflateSection(part, header, { fileSize: this.source.size, scratch: this.scratch });
  }

  part({ offset, size }: { offset: number; size: number }): ByteSource {
    return new PartSource(this.source, offset, size);
  }

  /** Start and end of the executable sections, also of debug files, which have only their headers. */
  executableRanges(): [start: number, end: number][] {
    return this.sections
      .filter(({ flags, size }) => (flags & FLAG.executable) !== 0 && size > 0)
      .map(({ address, size }) => [address, address + size]);
  }

  /** Whether the file has its code, which debug files don't. */
  hasCode(): boolean {
    return this.sections.some(({ type, flags }) => type !== SECTION.empty && (flags & FLAG.executable) !== 0);
  }

  /** The GNU build id; undefined if the linker wrote none. */
  buildId(): Uint8Array | undefined {
    const places = [
      ...this.sections.filter(({ type }) => type === SECTION.note),
      ...this.#segments.filter(({ type }) => type === SEGMENT.note).map((s) => ({ ...s, size: s.fileSize })),
    ];
    for (const place of places) {
      const id = this.#findBuildId(place);
      if (id !== undefined) return id;
    }
    return undefined;
  }

  #findBuildId({ offset, size }: { offset: number; size: number }): Uint8Array | undefined {
    if (offset + size > this.source.size) return undefined;
    const bytes = this.source.read(offset, size);
    const cursor = new Cursor(bytes, this.littleEndian);
    while (cursor.left >= 12) {
      const [nameSize, dataSize, type] = [cursor.u32(), cursor.u32(), cursor.u32()];
      const nameAt = cursor.at;
      const dataAt = nameAt + padded(nameSize);
      if (dataAt + dataSize > bytes.length) return undefined;
      if (type === NOTE_BUILD_ID && textAt(bytes, nameAt) === 'GNU' && dataSize > 0)
        return bytes.slice(dataAt, dataAt + dataSize);
      cursor.at = dataAt + padded(dataSize);
    }
    return undefined;
  }

  /** The name that the dynamic linker knows a library by. */
  soname(): string | undefined {
    const segment = this.#segments.find(({ type }) => type === SEGMENT.dynamic);
    if (segment === undefined || segment.offset + segment.fileSize > this.source.size) return undefined;
    const cursor = new Cursor(this.source.read(segment.offset, segment.fileSize), this.littleEndian);
    let [strings, soname] = [-1, -1];
    while (cursor.left >= (this.is64 ? 16 : 8)) {
      const [tag, value] = [cursor.word(this.is64), cursor.word(this.is64)];
      if (tag === DYNAMIC.end) break;
      if (tag === DYNAMIC.strings) strings = value;
      if (tag === DYNAMIC.soname) soname = value;
    }
    const at = strings < 0 || soname < 0 ? undefined : this.#offsetOf(strings + soname);
    if (at === undefined) return undefined;
    return textAt(this.source.read(at, Math.min(4096, this.source.size - at)), 0) || undefined;
  }

  #offsetOf(address: number): number | undefined {
    const segment = this.#segments.find(
      (each) => each.type === SEGMENT.load && address >= each.address && address < each.address + each.fileSize,
    );
    return segment && segment.offset + address - segment.address;
  }
}

export function isElf(start: Uint8Array): boolean {
  return start[0] === 0x7f && start[1] === 0x45 && start[2] === 0x4c && start[3] === 0x46;
}

function padded(size: number): number {
  // Bit operations would make a negative number of a large one.
  return Math.ceil(size / 4) * 4;
}

/** The text that ends with a zero byte, as UTF-8. Empty outside the bytes. */
export function textAt(bytes: Uint8Array, at: number): string {
  if (at >= bytes.length) return '';
  const limited = bytes.subarray(at, at + MAX_TEXT);
  const end = limited.indexOf(0);
  return Buffer.from(bytes.buffer, bytes.byteOffset + at, end < 0 ? limited.length : end).toString('utf8');
}
