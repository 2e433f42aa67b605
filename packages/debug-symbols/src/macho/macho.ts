// Reads the structure of Mach-O files: universal binaries, segments, symbols and identity (mach-o/loader.h and fat.h).
import { type ByteSource, PartSource } from '../byte-source.ts';
import { Cursor } from '../cursor.ts';
import { textAt } from '../elf/elf.ts';
import { DebugSymbolsError } from '../error.ts';
import { PagedSource } from '../paged-source.ts';
import { SymbolTable } from '../symbol-table.ts';

export type MachoSection = {
  readonly segment: string;
  readonly name: string;
  readonly address: number;
  readonly size: number;
  readonly offset: number;
  readonly flags: number;
};

const MAGIC = { thin32: 0xfeed_face, thin64: 0xfeed_facf, fat: 0xcafe_babe, fat64: 0xcafe_babf } as const;
const COMMAND = { segment: 0x1, symbols: 0x2, dylibId: 0xd, segment64: 0x19, uuid: 0x1b } as const;
const FILE_TYPE_OBJECT = 1;
const HAS_INSTRUCTIONS = 0x8000_0400;
const MAX_SLICES = 64;
/** Bytes of the names of symbols that are kept in memory. */
const KEPT_NAMES = 4 * 1024 * 1024;
const MAX_COMMAND_BYTES = 64 * 1024 * 1024;

const SYMBOL = { debugMask: 0xe0, kindMask: 0x0e, inSection: 0x0e } as const;

export class Macho {
  readonly source: ByteSource;
  readonly is64: boolean;
  /** Breakpad's name of the CPU, such as `arm64` or `armv7`. */
  readonly cpu: string;
  readonly isRelocatable: boolean;
  readonly sections: readonly MachoSection[];
  /** The address of the segment with the header and the code. */
  readonly loadAddress: number;
  /** 16 bytes; undefined in an object file. */
  readonly uuid: Uint8Array | undefined;
  /** The path that a library is known by. */
  readonly installName: string | undefined;
  readonly #symbols: { at: number; count: number; textAt: number; textSize: number } | undefined;

  constructor(source: ByteSource) {
    this.source = source;
    const start = new Cursor(source.read(0, 28));
    const magic = start.u32();
    if (magic !== MAGIC.thin32 && magic !== MAGIC.thin64)
      throw new DebugSymbolsError('unsupported', 'Mach-O files for big-endian CPUs are not supported');
    this.is64 = magic === MAGIC.thin64;
    const [cpuType, cpuSubtype] = [start.u32(), start.u32() & 0x00ff_ffff];
    this.cpu = cpuName(cpuType, cpuSubtype);
    this.isRelocatable = start.u32() === FILE_TYPE_OBJECT;
    const [count, size] = [start.u32(), start.u32()];
    if (size > MAX_COMMAND_BYTES) throw new DebugSymbolsError('too-large', 'the load commands are too large');
    const commands = new Cursor(source.read(this.is64 ? 32 : 28, size));
    const sections: MachoSection[] = [];
    let loadAddress: number | undefined;
    for (let left = count; left > 0 && commands.left >= 8; left -= 1) {
      const begin = commands.at;
      const [command, length] = [commands.u32(), commands.u32()];
      if (length < 8 || begin + length > commands.bytes.length) break;
      const body = new Cursor(commands.bytes, true, commands.at, begin + length);
      if (command === COMMAND.segment || command === COMMAND.segment64) {
        const segment = readSegment(body, command === COMMAND.segment64);
        sections.push(...segment.sections);
        if (segment.name === '__TEXT') loadAddress = segment.address;
      } else if (command === COMMAND.uuid) {
        this.uuid = body.take(16).slice();
      } else if (command === COMMAND.symbols) {
        this.#symbols = { at: body.u32(), count: body.u32(), textAt: body.u32(), textSize: body.u32() };
      } else if (command === COMMAND.dylibId) {
        const nameAt = body.u32();
        this.installName = textAt(commands.bytes.subarray(0, begin + length), begin + nameAt);
      }
      commands.at = begin + length;
    }
    this.sections = sections;
    this.loadAddress = loadAddress ?? 0;
  }

  /** The section with contents in this file; undefined if there is none. */
  contents(name: string): ByteSource | undefined {
    // Names have at most 16 characters, so the ends of long ones are missing.
    const short = name.slice(0, 16);
    const found = this.sections.find((section) => section.name === short && section.offset > 0 && section.size > 0);
    return found && new PartSource(this.source, found.offset, found.size);
  }

  section(name: string): MachoSection | undefined {
    return this.sections.find((section) => section.name === name && section.size > 0);
  }

  /** Start and end of the sections with code, also of a dSYM, which has only their headers. */
  executableRanges(): [start: number, end: number][] {
    return this.sections
      .filter(({ flags, size }) => (flags & HAS_INSTRUCTIONS) !== 0 && size > 0)
      .map(({ address, size }) => [address, address + size]);
  }

  /** The functions of the symbol table, without the underscore that the linker puts in front of all names. */
  functionSymbols(): SymbolTable {
    if (this.#symbols === undefined) return SymbolTable.empty;
    const { at, count, textAt: textStart, textSize } = this.#symbols;
    const entrySize = this.is64 ? 16 : 12;
    const texts = new PagedSource(new PartSource(this.source, textStart, textSize), KEPT_NAMES);
    const symbols = new SymbolTable({ texts, hasUnderscore: true });
    const entries = new PagedSource(new PartSource(this.source, at, count * entrySize), 0);
    for (let index = 0; index < count; index += 1) {
      const cursor = new Cursor(entries.read(index * entrySize, entrySize));
      const nameAt = cursor.u32();
      const type = cursor.u8();
      const section = this.sections[cursor.u8() - 1];
      cursor.skip(2);
      const address = cursor.word(this.is64);
      if ((type & SYMBOL.debugMask) !== 0 || (type & SYMBOL.kindMask) !== SYMBOL.inSection) continue;
      if (section === undefined || (section.flags & HAS_INSTRUCTIONS) === 0) continue;
      if (!texts.isEmpty(nameAt)) symbols.add(address, nameAt);
    }
    return symbols;
  }
}

export function isMacho(start: Uint8Array): boolean {
  if (start.length < 8) return false;
  const magic = new Cursor(start).u32();
  return magic === MAGIC.thin32 || magic === MAGIC.thin64 || isUniversal(start);
}

/** Java classes begin in the same way, with a number that is larger than any count of CPUs. */
function isUniversal(start: Uint8Array): boolean {
  const cursor = new Cursor(start, false);
  const magic = cursor.u32();
  return (magic === MAGIC.fat || magic === MAGIC.fat64) && cursor.u32() <= MAX_SLICES;
}

/** The files in a universal binary, one for each CPU; the file itself if it is for one CPU. */
export function readSlices(source: ByteSource): Macho[] {
  const start = source.read(0, 8);
  if (!isUniversal(start)) return [new Macho(source)];
  const cursor = new Cursor(start, false);
  const isWide = cursor.u32() === MAGIC.fat64;
  const count = cursor.u32();
  const table = new Cursor(source.read(8, count * (isWide ? 32 : 20)), false);
  return Array.from({ length: count }, () => {
    table.skip(8);
    const [offset, size] = [table.word(isWide), table.word(isWide)];
    table.skip(isWide ? 8 : 4);
    return new Macho(new PartSource(source, offset, size));
  });
}

function readSegment(cursor: Cursor, is64: boolean) {
  const name = fixedText(cursor.take(16));
  const address = cursor.word(is64);
  cursor.skip(is64 ? 24 : 12);
  cursor.skip(8);
  const count = cursor.u32();
  cursor.skip(4);
  const sections: MachoSection[] = [];
  for (let left = count; left > 0 && cursor.left >= (is64 ? 80 : 68); left -= 1) {
    const section = fixedText(cursor.take(16));
    const segment = fixedText(cursor.take(16));
    const [at, size] = [cursor.word(is64), cursor.word(is64)];
    const offset = cursor.u32();
    cursor.skip(12);
    const flags = cursor.u32();
    cursor.skip(is64 ? 12 : 8);
    sections.push({ segment, name: section, address: at, size, offset, flags });
  }
  return { name, address, sections };
}

function fixedText(bytes: Uint8Array): string {
  return textAt(bytes, 0);
}

function cpuName(type: number, subtype: number): string {
  switch (type) {
    case 7:
      return 'x86';
    case 0x0100_0007:
      return subtype === 8 ? 'x86_64h' : 'x86_64';
    case 12:
      return ARM_SUBTYPES[subtype] ?? 'arm';
    case 0x0100_000c:
      return subtype === 2 ? 'arm64e' : 'arm64';
    case 0x0200_000c:
      return 'arm64_32';
    default:
      throw new DebugSymbolsError('unsupported', `Mach-O files for the CPU ${type} are not supported`);
  }
}

const ARM_SUBTYPES: Readonly<Record<number, string>> = {
  6: 'armv6',
  9: 'armv7',
  10: 'armv7f',
  11: 'armv7s',
  12: 'armv7k',
};
