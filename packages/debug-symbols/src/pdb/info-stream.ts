// The stream that identifies a PDB and names some of its streams.
// The layout is described in LLVM's documentation, "The PDB Info (aka PDB) Stream".
import { DebugSymbolsError } from '../error.ts';
import { readString, u16, u32 } from './bytes.ts';
import type { Msf } from './msf.ts';

export const INFO_STREAM = 1;
/** The first version with a GUID, of Visual C++ 7. */
const MIN_VERSION = 20_000_404;
const HEADER_SIZE = 28;
/** The feature of files linked with `/DEBUG:FASTLINK`, the letters `MINI`. */
const MINIMAL_DEBUG_INFO = 0x494e494d;

export interface InfoStream {
  /** 32 upper-case hexadecimal digits, in the order of the fields of a Windows GUID. */
  readonly guid: string;
  /** How often the file was written. Programs refer to the age in the DBI stream. */
  readonly age: number;
  /** Streams by name, such as `/names`. */
  readonly namedStreams: ReadonlyMap<string, number>;
  /** Whether lines and functions remain in the object files. */
  readonly fastLink: boolean;
}

/** Throws a DebugSymbolsError if the stream is missing or has no GUID. */
export function readInfoStream(msf: Msf): InfoStream {
  const bytes = msf.stream(INFO_STREAM)?.readAll();
  if (bytes === undefined || bytes.length < HEADER_SIZE) {
    throw new DebugSymbolsError('malformed', 'the PDB has no information stream');
  }
  const version = u32(bytes, 0);
  if (version < MIN_VERSION) throw new DebugSymbolsError('unsupported', `the PDB has the old version ${version}`);
  const { names, end } = readNamedStreams(bytes);
  let fastLink = false;
  for (let at = end; at + 4 <= bytes.length; at += 4) fastLink ||= u32(bytes, at) === MINIMAL_DEBUG_INFO;
  return { guid: formatGuid(bytes.subarray(12, 28)), age: u32(bytes, 8), namedStreams: names, fastLink };
}

function formatGuid(bytes: Uint8Array): string {
  const fields = [hex(u32(bytes, 0), 8), hex(u16(bytes, 4), 4), hex(u16(bytes, 6), 4)];
  for (const byte of bytes.subarray(8)) fields.push(hex(byte, 2));
  return fields.join('');
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0');
}

/**
 * Reads the map of named streams: a buffer of names, and then a hash table of offsets into it and stream numbers. The
 * bit vectors before the entries matter only to a lookup by hash.
 */
function readNamedStreams(bytes: Uint8Array): { names: Map<string, number>; end: number } {
  const names = new Map<string, number>();
  const text = HEADER_SIZE + 4;
  const table = text + u32(bytes, HEADER_SIZE);
  const count = u32(bytes, table);
  const presentWords = u32(bytes, table + 8);
  const deletedWords = u32(bytes, table + 12 + presentWords * 4);
  let at = table + 16 + (presentWords + deletedWords) * 4;
  for (let index = 0; index < count && at + 8 <= bytes.length; index++, at += 8) {
    names.set(readString(bytes, text + u32(bytes, at), table), u32(bytes, at + 4));
  }
  return { names, end: at };
}
