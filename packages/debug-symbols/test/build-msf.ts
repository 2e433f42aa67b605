// Builds small PDBs with one module for tests, whose sizes can be wrong.
import { bytes, concat, text, u16, u32 } from './build-elf.ts';

type Chunk = { readonly kind: number; readonly content: Uint8Array; readonly wrong: number };

export type PdbContents = {
  readonly pageSize: number;
  /** The contents of streams without structure: types, ids, symbol records and others. */
  readonly streams: readonly Uint8Array[];
  readonly symbols: readonly Chunk[];
  readonly subsections: readonly Chunk[];
  /** What is added to sizes in the header of the debug information. */
  readonly sizes: readonly number[];
};

const MARK = 'Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0';
const X64 = 0x8664;

export function buildPdb({ pageSize, streams, symbols, subsections, sizes }: PdbContents): Uint8Array {
  const records = concat(u32(4), ...symbols.map(encodeSymbol));
  const lines = concat(...subsections.map(encodeSubsection));
  const info = concat(u32(20_000_404), u32(1), u32(1), new Uint8Array(16).fill(7), streams[0]!);
  const module = concat(
    ...[u32(0), u16(1), u16(0), u32(0), u32(0x1000), u32(0x6000_0020), u16(0), u16(0), u32(0), u32(0)],
    ...[u16(0), u16(7), u32(records.length), u32(0), u32(lines.length), u16(1), u16(0), u32(0), u32(0), u32(0)],
    text('main.obj', 'main.obj'),
    bytes(0, 0),
  );
  const optional = concat(...Array.from({ length: 11 }, (_, index) => u16(index === 5 ? 5 : 0xffff)));
  const sizeOf = (index: number, size: number) => u32((size + sizes[index]!) >>> 0);
  const debugInfo = concat(
    ...[u32(0xffff_ffff), u32(19_990_903), u32(1), u16(0xffff), u16(0), u16(8), u16(0), u16(6), u16(0)],
    ...[sizeOf(0, module.length), sizeOf(1, 0), sizeOf(2, 0), sizeOf(3, 0), sizeOf(4, 0), u32(0)],
    ...[sizeOf(5, optional.length), sizeOf(6, 0), u16(0), u16(X64), u32(0)],
    ...[module, optional],
  );
  const section = concat(Buffer.from('.text\0\0\0'), u32(0x1000), u32(0x1000), u32(0x1000), u32(0x400), u32(0));
  const sections = concat(section, u32(0), u32(0), u32(0x6000_0020));
  const contents = [bytes(), info, streams[1]!, debugInfo, streams[2]!, sections, streams[3]!, concat(records, lines)];
  return buildMsf(pageSize, [...contents, ...streams.slice(4)]);
}

/** Streams in blocks that follow each other, after those of the directory. */
export function buildMsf(pageSize: number, streams: readonly Uint8Array[]): Uint8Array {
  const blocksOf = (size: number) => Math.ceil(size / pageSize);
  const directorySize = 4 * (1 + streams.length + streams.reduce((sum, { length }) => sum + blocksOf(length), 0));
  const firstBlock = 4 + blocksOf(directorySize);
  const numbers = [streams.length, ...streams.map(({ length }) => length)];
  let next = firstBlock;
  for (const { length } of streams) for (let left = blocksOf(length); left > 0; left -= 1) numbers.push(next++);
  const file = new Uint8Array(next * pageSize);
  file.set(Buffer.from(MARK, 'latin1'));
  file.set(concat(u32(pageSize), u32(1), u32(next), u32(directorySize), u32(0), u32(3)), 32);
  file.set(concat(...Array.from({ length: blocksOf(directorySize) }, (_, index) => u32(4 + index))), 3 * pageSize);
  file.set(concat(...numbers.map(u32)), 4 * pageSize);
  let at = firstBlock;
  for (const stream of streams) {
    file.set(stream, at * pageSize);
    at += blocksOf(stream.length);
  }
  return file;
}

function encodeSymbol({ kind, content, wrong }: Chunk): Uint8Array {
  const padding = new Uint8Array(-(content.length + 4) & 3);
  return concat(u16((content.length + padding.length + 2 + wrong) & 0xffff), u16(kind), content, padding);
}

function encodeSubsection({ kind, content, wrong }: Chunk): Uint8Array {
  const padding = new Uint8Array(-content.length & 3);
  return concat(u32(kind), u32((content.length + padding.length + wrong) >>> 0), content, padding);
}
