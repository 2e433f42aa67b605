// Recognises what can have symbols in it by the first bytes of a file, whatever its name is.
import { open } from 'node:fs/promises';
import { constants, inflateRawSync } from 'node:zlib';
import { FOREIGN_FILE_BYTES } from '@chauffeur/contract/foreign-symbol-file';
import type { MappingKind } from '@chauffeur/sentry/mappings/mapping-kind';

/** A file can be a Breakpad symbol file, a native program or debug file, a script or a mapping, or contain others. */
export type Kind = ContentKind | MappingKind;
type ContentKind = 'symbols' | 'native' | 'zip' | 'tar' | Packing;

/** A file that contains one other file. */
export type Packing = 'gzip' | 'zstd' | 'xz';

/** The bytes that are enough to recognise a file, unless it is shorter. */
export const HEAD_BYTES = FOREIGN_FILE_BYTES;

/** The numbers at the start of WebAssembly, ELF, Mach-O and universal files. Others have letters there. */
const NATIVE: readonly number[] = [
  ...[0x0061_736d, 0x7f45_4c46, 0xfeed_face, 0xfeed_facf, 0xcefa_edfe, 0xcffa_edfe, 0xcafe_babe, 0xcafe_babf],
];
const PDB = 'Microsoft C/C++ ';
const PE = 'MZ';
const ZIP = 'PK\x03\x04';
const PACKINGS: readonly (readonly [start: string, packing: Packing])[] = [
  ['\x1f\x8b\x08', 'gzip'],
  ['\x28\xb5\x2f\xfd', 'zstd'],
  ['\xfd7zXZ\0', 'xz'],
];
/** The first line of a symbol file: the OS, the CPU, a debug id of 33 digits or more, and the name. */
const MODULE = /^MODULE[ \t]+\S+[ \t]+\S+[ \t]+[0-9A-Fa-f]{33,40}[ \t]+\S/;

/** Returns null for a file of any other kind. */
export function recogniseKind(head: Buffer): ContentKind | null {
  const text = head.toString('latin1', 0, 512);
  if (MODULE.test(text)) return 'symbols';
  if (text.startsWith(PE) || text.startsWith(PDB)) return 'native';
  if (head.length >= 4 && NATIVE.includes(head.readUInt32BE())) return 'native';
  if (text.startsWith(ZIP)) return 'zip';
  const packing = PACKINGS.find(([start]) => text.startsWith(start));
  if (packing !== undefined) return packing[1];
  return text.startsWith('ustar', 257) ? 'tar' : null;
}

/** What is compressed at the start of an entry of a zip. */
export function inflateHead(head: Buffer): Buffer {
  try {
    return inflateRawSync(head, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return Buffer.alloc(0);
  }
}

export async function readHead(path: string): Promise<Buffer> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}
