// Reads a PDB: its functions, lines, inlined calls, public symbols and 32-bit unwind data.
import type { ByteSource } from '../byte-source.ts';
import type { SymbolSink } from '../symbol-sink.ts';
import type { Steps } from '../threads/work.ts';
import type { AddressMap, ImageSection } from './address-map.ts';
import { CoveredRanges } from './covered-ranges.ts';
import { FunctionWriter } from './functions.ts';
import type { Msf } from './msf.ts';
import type { Pdb } from './pdb.ts';
import { PdbParts, type PdbSink, pdbWork } from './pdb-parts.ts';
import { type PublicName, readDecoratedName, writePublics } from './publics.ts';
import type { StringTable } from './string-table.ts';
import { writeFpo, writeFrameData } from './windows-frames.ts';

export interface PdbOptions {
  /** Returns the readable form of a mangled name, and any other name as it is. */
  readonly demangle: (name: string) => string;
  /** The sections of the image, for a PDB that does not have them itself. */
  readonly sections?: readonly ImageSection[];
  /** What is done if other threads read the modules. */
  readonly meanwhile?: () => void;
}

/** Sends the symbols of a PDB to a sink, module by module. Throws a DebugSymbolsError if it is damaged. */
export function* readPdb(pdb: Pdb, sink: PdbSink, options: PdbOptions): Steps<void> {
  const { demangle, sections = [], meanwhile } = options;
  const { msf, dbi } = pdb;
  const parts = new PdbParts(pdb, sections);
  const { addresses, strings } = parts;
  const writer = new FunctionWriter(addresses, strings, sink);
  yield pdbWork(parts, writer, sink, meanwhile);
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
