// Builds small ELF files with DWARF, for tests.

export type TestSection = {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly type?: number;
  readonly flags?: number;
  readonly address?: number;
  readonly link?: number;
};

const HEADER_SIZE = 64;
const SECTION_HEADER_SIZE = 64;
const PROGRAM_HEADER_SIZE = 56;
const PROGBITS = 1;

/** A 64-bit file for x86_64 with one segment at `loadAddress`. The sections are numbered from 1. */
export function buildElf(sections: readonly TestSection[], loadAddress = 0x400000): Uint8Array {
  const all = [{ name: '', bytes: new Uint8Array(), type: 0 }, ...sections];
  const names = text(...all.map(({ name }) => name), '.shstrtab');
  const listed = [...all, { name: '.shstrtab', bytes: names, type: 3 }];
  let at = HEADER_SIZE + PROGRAM_HEADER_SIZE;
  const offsets = listed.map(({ bytes }) => {
    const offset = at;
    at += bytes.length;
    return offset;
  });
  const nameOffsets = offsetsOf(listed.map(({ name }) => name));
  const headers = listed.map((section, index) => {
    const { type = PROGBITS, flags = 0, address = 0, link = 0 } = section as TestSection;
    return concat(
      ...[u32(nameOffsets[index]!), u32(type), u64(flags), u64(address)],
      ...[u64(offsets[index]!), u64(section.bytes.length), u32(link), u32(0), u64(1), u64(0)],
    );
  });
  const header = concat(
    Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    ...[u16(2), u16(62), u32(1), u64(loadAddress), u64(HEADER_SIZE), u64(at), u32(0)],
    ...[u16(HEADER_SIZE), u16(PROGRAM_HEADER_SIZE), u16(1)],
    ...[u16(SECTION_HEADER_SIZE), u16(listed.length), u16(listed.length - 1)],
  );
  const segment = concat(
    ...[u32(1), u32(5), u64(0), u64(loadAddress), u64(loadAddress), u64(at), u64(at), u64(0x1000)],
  );
  return concat(header, segment, ...listed.map(({ bytes }) => bytes), ...headers);
}

function offsetsOf(names: readonly string[]): number[] {
  let at = 0;
  return names.map((name) => {
    const offset = at;
    at += name.length + 1;
    return offset;
  });
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

export function bytes(...values: readonly number[]): Uint8Array {
  return Uint8Array.from(values);
}

export function u16(value: number): Uint8Array {
  return bytes(value & 0xff, value >> 8);
}

export function u32(value: number): Uint8Array {
  const buffer = new Uint8Array(4);
  new DataView(buffer.buffer).setUint32(0, value, true);
  return buffer;
}

export function u64(value: number): Uint8Array {
  const buffer = new Uint8Array(8);
  new DataView(buffer.buffer).setBigUint64(0, BigInt(value), true);
  return buffer;
}

/** Texts that each end with a zero byte. */
export function text(...texts: readonly string[]): Uint8Array {
  return new Uint8Array(Buffer.from(texts.map((each) => `${each}\0`).join('')));
}

/** A content with its size in front, as DWARF has units and entries. */
export function sized(...parts: readonly Uint8Array[]): Uint8Array {
  const content = concat(...parts);
  return concat(u32(content.length), content);
}
