// Reads the names that a PE file exports. The tables are described in Microsoft's "PE Format", "The .edata Section".
import type { ByteSource } from '../byte-source.ts';
import { DIRECTORIES, viewOf } from './headers.ts';
import type { Pe } from './pe.ts';

export interface Export {
  address: number;
  /** The name as linked, which can be mangled. */
  name: string;
  ordinal: number;
}

const HEADER_SIZE = 40;
const MAX_NAME_SIZE = 0x4000;

/**
 * Returns the exports that have a name, by ascending address. Forwarders are left out: their address is that of a text
 * such as `NTDLL.RtlAllocateHeap`. Names outside the file are left out as well. Throws a DebugSymbolsError `truncated` if
 * a table is outside the file.
 */
export function readExports(pe: Pe): Export[] {
  const directory = pe.directory(DIRECTORIES.exports);
  if (directory === undefined || directory.size < HEADER_SIZE) return [];
  const header = viewOf(directory.read(0, HEADER_SIZE));
  const nameCount = header.getUint32(24, true);
  if (nameCount === 0) return [];
  const addresses = table(pe, header.getUint32(28, true), header.getUint32(20, true), 4);
  const names = table(pe, header.getUint32(32, true), nameCount, 4);
  const ordinals = table(pe, header.getUint32(36, true), nameCount, 2);
  const base = header.getUint32(16, true);
  const exports: Export[] = [];
  // No two names share bytes, so all together are shorter than the file. A file where they do is damaged.
  let budget = pe.source.size;
  const count = Math.min(names.byteLength / 4, ordinals.byteLength / 2);
  for (let index = 0; index < count && budget > 0; index++) {
    const slot = ordinals.getUint16(index * 2, true);
    if (slot * 4 >= addresses.byteLength) continue;
    const address = addresses.getUint32(slot * 4, true);
    if (address === 0 || isForwarder(pe, address)) continue;
    const name = readName(pe, names.getUint32(index * 4, true));
    budget -= name.length + 1;
    if (name !== '') exports.push({ address, name, ordinal: base + slot });
  }
  return exports.sort((a, b) => a.address - b.address);
}

function isForwarder(pe: Pe, address: number): boolean {
  const directory = pe.headers.directories[DIRECTORIES.exports]!;
  return address >= directory.address && address < directory.address + directory.size;
}

/** Returns a table of numbers, cut off after the last complete one in the file. */
function table(pe: Pe, address: number, count: number, entrySize: number): DataView {
  const part: ByteSource = pe.part(address, count * entrySize);
  return viewOf(part.read(0, part.size - (part.size % entrySize)));
}

function readName(pe: Pe, address: number): string {
  const section = pe.sectionAt(address);
  if (section === undefined || address - section.address >= section.fileSize) return '';
  return new TextDecoder().decode(pe.reader.string(pe.offsetOf(address), MAX_NAME_SIZE));
}
