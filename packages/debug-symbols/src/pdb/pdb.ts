// Opens the program database of a Windows program.
import type { ByteSource } from '../byte-source.ts';
import { DebugSymbolsError } from '../error.ts';
import { type Dbi, readDbi } from './dbi.ts';
import { readInfoStream } from './info-stream.ts';
import { Msf } from './msf.ts';

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
  readonly source: ByteSource;
  readonly msf: Msf;
  readonly dbi: Dbi;
  /** Streams by name, such as `/names`. */
  readonly namedStreams: ReadonlyMap<string, number>;
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
    ...{ source, msf, dbi, namedStreams },
  };
}
