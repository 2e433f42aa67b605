// Reads the headers of a PE file, which say where everything else is. Their fields are described in Microsoft's "PE
// Format".
import type { ByteSource } from '../byte-source.ts';
import { DebugSymbolsError } from '../error.ts';
import { readSections, type Section } from './sections.ts';

/** CPUs, as the MODULE line of a symbol file names them. */
export type PeCpu = 'x86' | 'x86_64' | 'arm' | 'arm64';

/** Numbers of the standard tables, "Optional Header Data Directories" in Microsoft's "PE Format". */
export const DIRECTORIES = { exports: 0, exceptions: 3, debug: 6 } as const;

/** Where one of the standard tables is, such as that of exports. */
export interface Directory {
  /** Relative to the image base, like all addresses of a PE file. */
  address: number;
  /** The size in bytes, as the file says: it can be more than there is. */
  size: number;
}

export interface Headers {
  machine: number;
  cpu: PeCpu;
  /** Seconds since 1970, or a hash in a reproducible build. */
  timestamp: number;
  /** The address for which the linker prepared the file. */
  imageBase: bigint;
  /** How much address space the loaded file takes, in bytes. */
  imageSize: number;
  /** The size of the headers, which are loaded as well, at address 0. */
  headerSize: number;
  entryPoint: number;
  directories: Directory[];
  sections: Section[];
  /** The COFF symbol table, which linkers of the GNU family write. */
  symbols: { offset: number; count: number };
}

const CPUS = new Map<number, PeCpu>([
  [0x014c, 'x86'],
  [0x8664, 'x86_64'],
  [0x01c0, 'arm'],
  [0x01c2, 'arm'],
  [0x01c4, 'arm'],
  [0xaa64, 'arm64'],
  // ARM64EC and ARM64X, which occur in objects. A linked ARM64EC file says x86_64, because it looks like one to others.
  [0xa641, 'arm64'],
  [0xa64e, 'arm64'],
]);

const FILE_HEADER_SIZE = 24;
const PE32 = 0x10b;
const PE32_PLUS = 0x20b;
/** The format has 16 directories. A larger number is damaged. */
const MAX_DIRECTORIES = 16;

/** Throws a DebugSymbolsError: `unknown-format`, `truncated`, `malformed`, or `unsupported` for another CPU. */
export function readHeaders(source: ByteSource): Headers {
  const start = findSignature(source);
  const file = viewOf(source.read(start, FILE_HEADER_SIZE));
  const machine = file.getUint16(4, true);
  const cpu = CPUS.get(machine);
  if (cpu === undefined) throw new DebugSymbolsError('unsupported', `PE file for the CPU 0x${machine.toString(16)}`);
  const optionalSize = file.getUint16(20, true);
  const optional = viewOf(source.read(start + FILE_HEADER_SIZE, optionalSize));
  const symbols = { offset: file.getUint32(12, true), count: file.getUint32(16, true) };
  return {
    machine,
    cpu,
    timestamp: file.getUint32(8, true),
    ...readOptionalHeader(optional),
    sections: readSections(source, start + FILE_HEADER_SIZE + optionalSize, file.getUint16(6, true), symbols),
    symbols,
  };
}

function findSignature(source: ByteSource): number {
  const isProgram = source.size >= 64 && viewOf(source.read(0, 2)).getUint16(0, true) === 0x5a4d;
  if (!isProgram) throw new DebugSymbolsError('unknown-format', 'not a PE file: MZ is missing');
  const start = viewOf(source.read(60, 4)).getUint32(0, true);
  const isPe = start + FILE_HEADER_SIZE <= source.size && viewOf(source.read(start, 4)).getUint32(0, true) === 0x4550;
  if (!isPe) throw new DebugSymbolsError('unknown-format', 'not a PE file: the signature PE is missing');
  return start;
}

function readOptionalHeader(
  header: DataView,
): Pick<Headers, 'imageBase' | 'imageSize' | 'headerSize' | 'entryPoint' | 'directories'> {
  const magic = header.byteLength >= 2 ? header.getUint16(0, true) : 0;
  if (magic !== PE32 && magic !== PE32_PLUS) {
    throw new DebugSymbolsError('malformed', `PE file with the unknown optional header 0x${magic.toString(16)}`);
  }
  const directoriesAt = magic === PE32 ? 96 : 112;
  if (header.byteLength < directoriesAt) throw new DebugSymbolsError('truncated', 'the optional header is too short');
  return {
    imageBase: magic === PE32 ? BigInt(header.getUint32(28, true)) : header.getBigUint64(24, true),
    imageSize: header.getUint32(56, true),
    headerSize: header.getUint32(60, true),
    entryPoint: header.getUint32(16, true),
    directories: readDirectories(header, directoriesAt),
  };
}

function readDirectories(header: DataView, at: number): Directory[] {
  const available = Math.floor((header.byteLength - at) / 8);
  const count = Math.min(header.getUint32(at - 4, true), MAX_DIRECTORIES, available);
  return Array.from({ length: count }, (_, index) => ({
    address: header.getUint32(at + 8 * index, true),
    size: header.getUint32(at + 8 * index + 4, true),
  }));
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
