// The streams about modules: ModuleListStream with the loaded executables and libraries and the ids of their debug
// symbols, and UnloadedModuleListStream.
import { baseName } from '../base-name.ts';
import { Bytes, type Cursor } from '../bytes.ts';
import type { Location, StreamInput, StreamKind } from '../minidump.ts';
import { decodeUtf8, readUtf16StringOrWarn } from './strings.ts';
import { GUID_SIZE, readGuid, readList, readLocation, readSizedList } from './structures.ts';
import { type OsName, SYSTEM_INFO } from './system-info.ts';

export type Module = {
  readonly base: bigint;
  /** The size in the address space, in bytes. */
  readonly size: number;
  readonly checksum: number;
  readonly timestamp: number;
  /** The path of the loaded file, unchanged. */
  readonly codeFile: string;
  /** Identifies the code file, in lower-case hex: timestamp and size on Windows, otherwise the build id; '' if unknown. */
  readonly codeId: string;
  /** The name of the file with the debug information; '' if unknown. */
  readonly debugFile: string;
  /** Breakpad's debug id: the GUID as 32 upper-case hex digits, and the age in hex; '' if unknown. */
  readonly debugId: string;
  /** The version from the version resource, such as `1.2.3.4`; undefined if there is none. */
  readonly version: string | undefined;
};

const MODULE_SIZE = 108;
const VERSION_SIZE = 52;
const VERSION_SIGNATURE = 0xfeef04bd;
const VERSION_STRUCTURE = 0x10000;

/**
 * All modules in the order of the dump, because other streams refer to them by index. The first one is the executable. A
 * module that is empty or extends past the end of the address space gets a warning, and ModuleMap finds no address in it.
 */
export const MODULES: StreamKind<Module[]> = {
  type: 4,
  name: 'ModuleListStream',
  read: (input) => {
    const os = input.dump.stream(SYSTEM_INFO)?.os ?? 'unknown';
    return readList(input, MODULE_SIZE, (entry) => readModule(input, entry, os));
  },
};

/** Whether a module is not empty and within the address space. */
export function hasValidRange({ base, size }: Pick<Module, 'base' | 'size'>): boolean {
  return size > 0 && base + BigInt(size) <= 1n << 64n;
}

function readModule(input: StreamInput, entry: Cursor, os: OsName): Module {
  const base = entry.u64();
  const size = entry.u32();
  const checksum = entry.u32();
  const timestamp = entry.u32();
  const codeFile = readUtf16StringOrWarn(input, entry.u32(), `the name of the module at 0x${base.toString(16)}`);
  const version = readVersion(entry, os);
  const codeView = findCodeView(input, readLocation(entry), codeFile);
  if (!hasValidRange({ base, size }))
    input.warn(`${codeFile}: invalid address range (${size} bytes at 0x${base.toString(16)})`);
  return {
    base,
    size,
    checksum,
    timestamp,
    codeFile,
    codeId: codeIdOf(codeView, os, { timestamp, size }),
    debugFile: baseName(debugFileOf(codeView, codeFile)),
    debugId: debugIdOf(codeView),
    version,
  };
}

/**
 * Reads `VS_FIXEDFILEINFO`. On Windows and macOS, each 32-bit field has two numbers. For ELF files, writers store each
 * number of a library's name (`libfoo.so.1.2.3`) in a separate field, continuing into the product version. This is how
 * rust-minidump interprets it.
 */
function readVersion(entry: Cursor, os: OsName): string | undefined {
  const info = entry.window(VERSION_SIZE);
  if (info.u32(0) !== VERSION_SIGNATURE || info.u32(4) !== VERSION_STRUCTURE) return undefined;
  const [fileHigh, fileLow] = [info.u32(8), info.u32(12)];
  const packed = os === 'windows' || os === 'macos' || os === 'ios';
  const numbers = packed
    ? [fileHigh >>> 16, fileHigh & 0xffff, fileLow >>> 16, fileLow & 0xffff]
    : [fileHigh, fileLow, info.u32(16), info.u32(20)];
  return numbers.join('.');
}

function findCodeView({ dump, warn }: StreamInput, location: Location, codeFile: string): CodeView | undefined {
  if (location.size === 0) return undefined;
  const record = dump.copyable(location);
  if (record === undefined) warn(`${codeFile}: its CodeView record cannot be read`);
  return record && readCodeView(record, (problem) => warn(`${codeFile}: ${problem}`));
}

/**
 * Symbol servers identify a Windows file by timestamp and size, an ELF file by its build id, and a Mach-O file by its
 * UUID, which writers store in a PDB record. A Windows module has a code id even without a record (`wow64cpu.dll`). Old
 * versions of Breakpad also wrote PDB records on Linux. Like Breakpad and rust-minidump, use timestamp and size then.
 */
function codeIdOf(
  codeView: CodeView | undefined,
  os: OsName,
  { timestamp, size }: { timestamp: number; size: number },
): string {
  if (codeView?.kind === 'elf') return codeView.buildId;
  if (codeView?.kind === 'pdb70' && (os === 'macos' || os === 'ios')) return codeView.guid.toLowerCase();
  if (codeView === undefined && os !== 'windows') return '';
  return `${timestamp.toString(16).padStart(8, '0')}${size.toString(16)}`;
}

/** The record of an ELF file has no debug file, so the file itself is used. */
function debugFileOf(codeView: CodeView | undefined, codeFile: string): string {
  if (codeView === undefined) return '';
  return codeView.kind === 'elf' ? codeFile : codeView.file;
}

function debugIdOf(codeView: CodeView | undefined): string {
  if (codeView === undefined) return '';
  if (codeView.kind === 'pdb20')
    return codeView.signature.toString(16).padStart(8, '0').toUpperCase() + codeView.age.toString(16);
  if (codeView.kind === 'pdb70') return codeView.guid + codeView.age.toString(16);
  return codeView.guid === '' ? '' : `${codeView.guid}0`;
}

// CodeView records, which identify the debug information of a module: PDB 7.0, PDB 2.0, and Breakpad's ELF build id.

/** A record. `guid` has 32 upper-case hex digits, `buildId` is lower-case hex, and `file` is the path from the linker. */
type CodeView =
  | { readonly kind: 'pdb70'; readonly guid: string; readonly age: number; readonly file: string }
  | { readonly kind: 'pdb20'; readonly signature: number; readonly age: number; readonly file: string }
  /** `guid` is the first 16 bytes of the build id, read as a GUID. Both are '' if the build id is empty or all zeros. */
  | { readonly kind: 'elf'; readonly buildId: string; readonly guid: string };

const RSDS = 0x53445352;
const NB10 = 0x3031424e;
const BPEL = 0x4270454c;

/** The size of each kind of record without the file name, in bytes. */
const MIN_SIZES: ReadonlyMap<number, number> = new Map([
  [RSDS, 24],
  [NB10, 16],
  [BPEL, 4],
]);

/** Reads a module's CodeView record; undefined if it is of another kind or (with a warning) cut off. */
function readCodeView(record: Bytes, warn: (problem: string) => void): CodeView | undefined {
  const kind = record.size < 4 ? 0 : record.u32(0);
  if (record.size < (MIN_SIZES.get(kind) ?? 4)) {
    warn(`its CodeView record has only ${record.size} bytes`);
    return undefined;
  }
  const cursor = record.cursor(4);
  if (kind === RSDS) return { kind: 'pdb70', guid: readGuid(cursor), ...readAgeAndFile(cursor) };
  if (kind === NB10) {
    // An offset that is only used in the oldest kind of file; otherwise 0.
    cursor.skip(4);
    return { kind: 'pdb20', signature: cursor.u32(), ...readAgeAndFile(cursor) };
  }
  return kind === BPEL ? readElf(cursor.window(cursor.left)) : undefined;
}

function readAgeAndFile(cursor: Cursor): { readonly age: number; readonly file: string } {
  return { age: cursor.u32(), file: decodeUtf8(cursor.window(cursor.left)) };
}

/**
 * Mapped files that are not programs, such as fonts, also get a record, with an empty build id or one of zeros. A build id
 * that is shorter than a GUID (lld's `fast` kind has 8 bytes: `10faa6bbaab83db3`) is padded with zeros.
 */
function readElf(record: Bytes): CodeView {
  const buildId = record.array;
  if (buildId.every((byte) => byte === 0)) return { kind: 'elf', buildId: '', guid: '' };
  const padded = new Uint8Array(GUID_SIZE);
  padded.set(buildId.subarray(0, GUID_SIZE));
  return { kind: 'elf', buildId: buildId.toHex(), guid: readGuid(new Bytes(padded, record.littleEndian).cursor()) };
}

// UnloadedModuleListStream: modules that were unloaded before the crash. An address in one is a call to unloaded code.

export type UnloadedModule = {
  readonly base: bigint;
  /** The size in the address space, in bytes. */
  readonly size: number;
  readonly checksum: number;
  readonly timestamp: number;
  /** The path of the file, unchanged; usually only its name. */
  readonly codeFile: string;
};

const MIN_UNLOADED_SIZE = 24;

/** The modules in the order of the dump. They can overlap, because an address range can be reused. */
export const UNLOADED_MODULES: StreamKind<UnloadedModule[]> = {
  type: 14,
  name: 'UnloadedModuleListStream',
  read: (input) =>
    readSizedList(input, { minEntrySize: MIN_UNLOADED_SIZE }, (entry) => {
      const base = entry.u64();
      const [size, checksum, timestamp] = [entry.u32(), entry.u32(), entry.u32()];
      const label = `the name of the unloaded module at 0x${base.toString(16)}`;
      return { base, size, checksum, timestamp, codeFile: readUtf16StringOrWarn(input, entry.u32(), label) };
    }),
};
