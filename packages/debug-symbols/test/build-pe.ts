// Builds small PE files for tests, byte by byte, without the code that reads them.

type SectionContents = { name: string; address: number; bytes: Uint8Array; executable?: boolean };

export type PeContents = {
  machine?: number;
  timestamp?: number;
  imageSize?: number;
  sections: SectionContents[];
  /** Address and size by the number of the directory. */
  directories?: Record<number, [address: number, size: number]>;
  /** The COFF symbol table and its string table. */
  symbols?: { count: number; bytes: Uint8Array };
};

const OPTIONAL_SIZE = 240;
const PE_START = 0x80;
const SECTIONS_START = PE_START + 24 + OPTIONAL_SIZE;
const CONTENTS_START = 0x400;
const ALIGNMENT = 0x200;

/** Returns where the contents of a section will be in the file. */
export function sectionOffset({ sections }: PeContents, number: number): number {
  return sections.slice(0, number).reduce((sum, { bytes }) => sum + align(bytes.length), CONTENTS_START);
}

/** Builds a PE32+ file. */
export function buildPe(contents: PeContents): Uint8Array {
  const { machine = 0x8664, timestamp = 0, imageSize = 0x100000, sections, directories = {}, symbols } = contents;
  const end = sectionOffset(contents, sections.length);
  const file = new Uint8Array(end + (symbols?.bytes.length ?? 0));
  const view = new DataView(file.buffer);
  view.setUint16(0, 0x5a4d, true);
  view.setUint32(60, PE_START, true);
  view.setUint32(PE_START, 0x4550, true);
  view.setUint16(PE_START + 4, machine, true);
  view.setUint16(PE_START + 6, sections.length, true);
  view.setUint32(PE_START + 8, timestamp, true);
  if (symbols !== undefined) {
    view.setUint32(PE_START + 12, end, true);
    view.setUint32(PE_START + 16, symbols.count, true);
    file.set(symbols.bytes, end);
  }
  view.setUint16(PE_START + 20, OPTIONAL_SIZE, true);
  const optional = PE_START + 24;
  view.setUint16(optional, 0x20b, true);
  view.setBigUint64(optional + 24, 0x1_4000_0000n, true);
  view.setUint32(optional + 56, imageSize, true);
  view.setUint32(optional + 60, CONTENTS_START, true);
  view.setUint32(optional + 108, 16, true);
  for (const [number, [address, size]] of Object.entries(directories)) {
    view.setUint32(optional + 112 + 8 * Number(number), address, true);
    view.setUint32(optional + 116 + 8 * Number(number), size, true);
  }
  for (const [index, { name, address, bytes, executable }] of sections.entries()) {
    const header = SECTIONS_START + 40 * index;
    file.set(new TextEncoder().encode(name).subarray(0, 8), header);
    view.setUint32(header + 8, bytes.length, true);
    view.setUint32(header + 12, address, true);
    view.setUint32(header + 16, align(bytes.length), true);
    view.setUint32(header + 20, sectionOffset(contents, index), true);
    view.setUint32(header + 36, executable ? 0x6000_0020 : 0x4000_0040, true);
    file.set(bytes, sectionOffset(contents, index));
  }
  return file;
}

function align(size: number): number {
  return Math.ceil(size / ALIGNMENT) * ALIGNMENT;
}

/** Returns 32-bit numbers as bytes. */
export function words(...values: number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * 4);
  const view = new DataView(bytes.buffer);
  for (const [index, value] of values.entries()) view.setUint32(index * 4, value, true);
  return bytes;
}

/** Returns bytes of several arrays and of texts one after another. */
export function concat(...parts: (Uint8Array | string | number[])[]): Uint8Array {
  return Uint8Array.from(
    parts.flatMap((part) => [...(typeof part === 'string' ? new TextEncoder().encode(part) : part)]),
  );
}
