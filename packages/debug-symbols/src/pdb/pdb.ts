// Reads the program database of a Windows program: its functions, lines, inlined calls and 32-bit unwind data.
import type { ByteSource } from '../byte-source.ts';
import { DebugSymbolsError } from '../error.ts';
import type { SymbolSink } from '../symbol-sink.ts';
import { type AddressMap, type ImageSection, readAddressMap } from './address-map.ts';
import { CoveredRanges } from './covered-ranges.ts';
import { CrossScopes } from './cross-scope.ts';
import { type Dbi, readDbi } from './dbi.ts';
import { FunctionNames } from './function-names.ts';
import { FunctionWriter } from './functions.ts';
import { readInfoStream } from './info-stream.ts';
import { readModuleStream } from './module-stream.ts';
import { Msf } from './msf.ts';
import type { Procedure } from './procedures.ts';
import { type PublicName, readDecoratedName, writePublics } from './publics.ts';
import { StringTable } from './string-table.ts';
import { cleanName, TypeNames } from './type-names.ts';
import { TypeStream } from './type-stream.ts';
import { writeFpo, writeFrameData } from './windows-frames.ts';

const TYPE_STREAM = 2;
const ID_STREAM = 4;

/** CPUs by machine type, as in a PE file. */
const CPUS: ReadonlyMap<number, string> = new Map([
  [0x014c, 'x86'],
  [0x01c0, 'arm'],
  [0x01c2, 'arm'],
  [0x01c4, 'arm'],
  [0x8664, 'x86_64'],
  [0xa641, 'arm64'],
  [0xaa64, 'arm64'],
]);

export interface Pdb {
  /** What the MODULE record of a symbol file has: the GUID, and the age in hexadecimal. */
  readonly debugId: string;
  /** `x86`, `x86_64`, `arm` or `arm64`; `unknown` for any other machine type. */
  readonly cpu: string;
  readonly msf: Msf;
  readonly dbi: Dbi;
  /** Streams by name, such as `/names`. */
  readonly namedStreams: ReadonlyMap<string, number>;
}

export interface PdbOptions {
  /** Returns the readable form of a mangled name, and any other name as it is. */
  readonly demangle: (name: string) => string;
  /** The sections of the image, for a PDB that does not have them itself. */
  readonly sections?: readonly ImageSection[];
}

/**
 * Opens a PDB by its identification and the list of its modules. Throws a DebugSymbolsError if it is not the PDB of a
 * program, is of an unsupported version, or was linked with `/DEBUG:FASTLINK`, which leaves the lines in object files.
 */
export function openPdb(source: ByteSource): Pdb {
  const msf = new Msf(source);
  const { guid, namedStreams, fastLink } = readInfoStream(msf);
  if (fastLink) {
    throw new DebugSymbolsError('unsupported', 'the PDB was linked with /DEBUG:FASTLINK; link it with /DEBUG:FULL');
  }
  const dbi = readDbi(msf);
  return {
    debugId: guid + dbi.age.toString(16),
    cpu: CPUS.get(dbi.machine) ?? 'unknown',
    msf,
    dbi,
    namedStreams,
  };
}

/** Writes the symbols of a PDB to a sink, module by module. Throws a DebugSymbolsError if it is damaged. */
export function readPdb(pdb: Pdb, sink: SymbolSink, { demangle, sections = [] }: PdbOptions): void {
  const { msf, dbi } = pdb;
  const addresses = readAddressMap(msf, dbi.streams, sections);
  if (addresses.isEmpty) {
    throw new DebugSymbolsError('unsupported', 'the PDB has no section headers; convert it together with its program');
  }
  const strings = new StringTable(openStream(msf, pdb.namedStreams.get('/names')));
  const writer = new FunctionWriter(addresses, strings, sink);
  writeFunctions(pdb, writer, strings, sink);
  const publics = openStream(msf, dbi.symbolRecords);
  if (publics !== undefined) {
    const readName = (name: string) => readPublicName(name, pdb.cpu, demangle);
    const written = writePublics(publics, addresses, writer.covered, sink, readName);
    writer.writeThunks((address) => written.has(address));
  } else {
    writer.writeThunks(() => false);
  }
  if (pdb.cpu === 'x86') writeFrames(pdb, strings, addresses, sink);
}

function openStream(msf: Msf, index: number | undefined): ByteSource | undefined {
  return index === undefined ? undefined : msf.stream(index);
}

function writeFunctions({ msf, dbi }: Pdb, writer: FunctionWriter, strings: StringTable, sink: SymbolSink): void {
  const types = new TypeNames(new TypeStream(msf.stream(TYPE_STREAM), (index) => msf.stream(index)));
  const functions = new FunctionNames(new TypeStream(msf.stream(ID_STREAM)), types);
  const scopes = new CrossScopes(msf, strings, dbi.modules);
  for (const module of dbi.modules) {
    const stream = readModuleStream(msf, module);
    if (stream === undefined) continue;
    const resolve = scopes.resolver(stream.subsections);
    writer.writeModule(stream, {
      procedure: (procedure) => nameProcedure(procedure, functions),
      origin: (inlinee) => functions.origin(resolve(inlinee) ?? 0, sink),
    });
  }
}

function nameProcedure({ name, type, typeIsId, thunk }: Procedure, functions: FunctionNames): string {
  // Exception handlers of MSVC, such as `main$fin$0`, have no type.
  if (thunk || type === 0) return cleanName(name);
  return functions.format(name, typeIsId ? (functions.find(type)?.type ?? 0) : type);
}

function readPublicName(name: string, cpu: string, demangle: (name: string) => string): PublicName {
  if (name.startsWith('?')) return { name: demangle(name), parameterSize: 0 };
  const undecorated = cpu === 'x86' ? readDecoratedName(name) : { name, parameterSize: 0 };
  // The names of Rust and of some other compilers are mangled as well.
  if (!/^_[ZR]/.test(undecorated.name)) return undecorated;
  const readable = demangle(undecorated.name);
  // Demanglers remove the underscore of names such as `_RTC_Initialize`, which belongs to them.
  return `_${readable}` === undecorated.name ? undecorated : { ...undecorated, name: readable };
}

function writeFrames({ msf, dbi }: Pdb, strings: StringTable, addresses: AddressMap, sink: SymbolSink): void {
  const frameData = openStream(msf, dbi.streams.frameData);
  const covered = new CoveredRanges();
  if (frameData !== undefined) writeFrameData(frameData, strings, addresses, sink, covered);
  const fpo = openStream(msf, dbi.streams.fpo);
  if (fpo !== undefined) writeFpo(fpo, addresses, sink, covered);
}
