// ModuleListStream: the loaded executables and libraries, with the ids of their debug symbols.
import { baseName } from '../base-name.ts';
import type { Cursor } from '../bytes.ts';
import type { Location, StreamInput, StreamKind } from '../minidump.ts';
import { type CodeView, readCodeView } from './code-view.ts';
import { readList } from './list.ts';
import { readLocation } from './locations.ts';
import { readUtf16StringOrWarn } from './strings.ts';
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

const ENTRY_SIZE = 108;
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
    return readList(input, ENTRY_SIZE, (entry) => readModule(input, entry, os));
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
