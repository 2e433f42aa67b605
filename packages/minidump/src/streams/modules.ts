// ModuleListStream: the executables and libraries that were loaded, each with what identifies its debug symbols.
import type { Cursor } from '../bytes.ts';
import type { Location, StreamInput, StreamKind } from '../minidump.ts';
import { type CodeView, readCodeView } from './code-view.ts';
import { readList } from './list.ts';
import { readLocation } from './locations.ts';
import { readUtf16StringOrWarn } from './strings.ts';
import { type OsName, SYSTEM_INFO } from './system-info.ts';

export type Module = {
  readonly base: bigint;
  /** Bytes of address space. */
  readonly size: number;
  readonly checksum: number;
  readonly timestamp: number;
  /** Path of the file that was loaded, as the dump gives it. */
  readonly codeFile: string;
  /** Identifies the code file: on Windows timestamp and size, elsewhere the build id; lower-case hex, '' when unknown. */
  readonly codeId: string;
  /** Name of the file with the debug information; '' when unknown. */
  readonly debugFile: string;
  /** Breakpad’s debug id: 32 upper-case hex digits of the GUID and the age in hex; '' when unknown. */
  readonly debugId: string;
  /** `1.2.3.4` from the version resource; undefined when there is none. */
  readonly version: string | undefined;
};

const ENTRY_SIZE = 108;
const VERSION_SIZE = 52;
const VERSION_SIGNATURE = 0xfeef04bd;
const VERSION_STRUCTURE = 0x10000;

/**
 * All modules, in the dump’s order: the first is the program itself, and other streams tell them by their place in the list. A
 * module of no bytes, or one that goes on past the end of all addresses, gets a warning; ModuleMap finds nothing in it.
 */
export const MODULES: StreamKind<Module[]> = {
  type: 4,
  name: 'ModuleListStream',
  read: (input) => {
    const os = input.dump.stream(SYSTEM_INFO)?.os ?? 'unknown';
    return readList(input, ENTRY_SIZE, (entry) => readModule(input, entry, os));
  },
};

/** Whether a module has addresses at all, and only such as there are. */
export function hasPlace({ base, size }: Pick<Module, 'base' | 'size'>): boolean {
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
  if (!hasPlace({ base, size }))
    input.warn(`${codeFile}: ${size} bytes at 0x${base.toString(16)} are no place for a module`);
  return {
    base,
    size,
    checksum,
    timestamp,
    codeFile,
    codeId: codeIdOf(codeView, os, { timestamp, size }),
    debugFile: fileName(debugFileOf(codeView, codeFile)),
    debugId: debugIdOf(codeView),
    version,
  };
}

/**
 * `VS_FIXEDFILEINFO`. Windows and macOS pack two numbers into each 32-bit field; writers for ELF give the numbers of a
 * shared object’s name (`libfoo.so.1.2.3`) a field each, going on into the product version. Here we follow rust-minidump.
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

function findCodeView({ dump, warn }: StreamInput, place: Location, codeFile: string): CodeView | undefined {
  if (place.size === 0) return undefined;
  const record = dump.copyable(place);
  if (record === undefined) warn(`${codeFile}: its CodeView record cannot be read`);
  return record && readCodeView(record, (problem) => warn(`${codeFile}: ${problem}`));
}

/**
 * Symbol servers know a Windows file by its timestamp and size, an ELF file by its build id, and a Mach-O file by its UUID, for which
 * writers borrow the PDB record. A Windows module without a record has a code id all the same (`wow64cpu.dll`). Old Breakpad
 * on Linux wrote PDB records too; the references then give timestamp and size, and so do we.
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

/** An ELF file holds its own debug information, as far as its record tells. */
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

/** The last part of a path of any system: a dump of Windows is read on Linux. */
function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
