// Recognises files by how they begin, whatever their names are.
import type { ByteSource } from './byte-source.ts';
import { isElf } from './elf/elf.ts';
import { isMacho } from './macho/macho.ts';
import { isWasm } from './wasm/wasm.ts';

export type FileFormat = 'elf' | 'macho' | 'pe' | 'pdb' | 'wasm';

const PDB_MARK = 'Microsoft C/C++ MSF 7.00\r\n';
const OLD_PDB_MARK = 'Microsoft C/C++ program database 2.00\r\n';
const HEADER_SIZE = 64;

/** Undefined for a file that is none of these. */
export function detectFormat(source: ByteSource): FileFormat | undefined {
  const start = source.read(0, Math.min(HEADER_SIZE, source.size));
  if (start.length < 16) return undefined;
  if (isElf(start)) return 'elf';
  if (isMacho(start)) return 'macho';
  if (isWasm(start)) return 'wasm';
  const text = Buffer.from(start).toString('latin1');
  if (text.startsWith(PDB_MARK) || text.startsWith(OLD_PDB_MARK)) return 'pdb';
  if (text.startsWith('MZ')) return hasPeHeader(source, start) ? 'pe' : undefined;
  return undefined;
}

/** Programs for DOS begin in the same way. */
function hasPeHeader(source: ByteSource, start: Uint8Array): boolean {
  if (start.length < HEADER_SIZE) return false;
  const at = new DataView(start.buffer, start.byteOffset).getUint32(60, true);
  if (at + 4 > source.size) return false;
  const mark = source.read(at, 4);
  return mark[0] === 0x50 && mark[1] === 0x45 && mark[2] === 0 && mark[3] === 0;
}
