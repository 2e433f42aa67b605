// The modules of a PDB, as work for one or several threads.
import { openShared, type SharedSource } from '../byte-source.ts';
import { DebugSymbolsError } from '../error.ts';
import type { SymbolSink } from '../symbol-sink.ts';
import { type FunctionSink, type PackedFunctions, RecordPacker } from '../symbols/record-packer.ts';
import type { PackedBatch, Parts, Work } from '../threads/work.ts';
import { type AddressMap, type ImageSection, readAddressMap } from './address-map.ts';
import { CrossScopes } from './cross-scope.ts';
import { FunctionNames } from './function-names.ts';
import { FunctionWriter } from './functions.ts';
import { readModuleStream } from './module-stream.ts';
import { openPdb, type Pdb } from './pdb.ts';
import type { Procedure } from './procedures.ts';
import { StringTable } from './string-table.ts';
import { cleanName, TypeNames } from './type-names.ts';
import { TypeStream } from './type-stream.ts';

const TYPE_STREAM = 2;
const ID_STREAM = 4;

export type PdbSink = SymbolSink & {
  packedFunctions(packed: PackedFunctions, wanted: (address: number, size: number) => boolean): void;
};

/** What was found of types, which takes a while in a large PDB. */
type SharedPlaces = { readonly types: Uint32Array; readonly ids: Uint32Array };

export type SharedPdbParts = {
  readonly kind: 'pdb';
  readonly source: SharedSource;
  readonly sections: readonly ImageSection[];
  readonly places: SharedPlaces;
};

export class PdbParts implements Parts {
  readonly pdb: Pdb;
  readonly addresses: AddressMap;
  readonly strings: StringTable;
  readonly #sections: readonly ImageSection[];
  readonly #types: TypeStream;
  readonly #ids: TypeStream;
  readonly #scopes: CrossScopes;

  constructor(pdb: Pdb, sections: readonly ImageSection[], places?: SharedPlaces) {
    const { msf, dbi, namedStreams } = pdb;
    this.pdb = pdb;
    this.#sections = sections;
    this.addresses = readAddressMap(msf, dbi.streams, sections);
    if (this.addresses.isEmpty) {
      throw new DebugSymbolsError(
        'unsupported',
        'the PDB has no section headers; convert it together with its program',
      );
    }
    const names = namedStreams.get('/names');
    this.strings = new StringTable(names === undefined ? undefined : msf.stream(names));
    this.#types = new TypeStream(msf.stream(TYPE_STREAM), (index) => msf.stream(index), places?.types);
    this.#ids = new TypeStream(msf.stream(ID_STREAM), undefined, places?.ids);
    this.#scopes = new CrossScopes(msf, this.strings, dbi.modules);
  }

  /** Returns whether the result would be the same if some of the functions were left out: see TypeNames.isExact. */
  read(start: number, end: number, writer: FunctionWriter, sink: FunctionSink): boolean {
    const types = new TypeNames(this.#types);
    const functions = new FunctionNames(this.#ids, types);
    for (const module of this.pdb.dbi.modules.slice(start, end)) {
      const stream = readModuleStream(this.pdb.msf, module);
      if (stream === undefined) continue;
      const resolve = this.#scopes.resolver(stream.subsections);
      writer.writeModule(stream, {
        procedure: (procedure) => nameProcedure(procedure, functions),
        origin: (inlinee) => functions.origin(resolve(inlinee) ?? 0, sink),
      });
    }
    return types.isExact;
  }

  /** Functions that have the address of one in an earlier batch are left out only when they are added. */
  pack(start: number, end: number): PackedBatch {
    const packer = new RecordPacker();
    const writer = new FunctionWriter(this.addresses, this.strings, packer);
    if (!this.read(start, end, writer, packer))
      throw new DebugSymbolsError('too-large', 'the types are too large for threads');
    return { functions: packer.finish(), thunks: writer.thunks };
  }

  share(): SharedPdbParts | undefined {
    const source = this.pdb.source.share?.();
    if (source === undefined) return undefined;
    const places = { types: this.#types.sharePlaces(), ids: this.#ids.sharePlaces() };
    return { kind: 'pdb', source, sections: this.#sections, places };
  }
}

export function openPdbParts({ source, sections, places }: SharedPdbParts): Parts {
  return new PdbParts(openPdb(openShared(source)), sections, places);
}

/** The writer has the functions of all batches. */
export function pdbWork(
  parts: PdbParts,
  writer: FunctionWriter,
  sink: PdbSink,
  meanwhile: (() => void) | undefined,
): Work {
  return {
    sizes: parts.pdb.dbi.modules.map(({ stream, symbolsSize, linesSize }) =>
      stream === undefined ? 0 : symbolsSize + linesSize,
    ),
    run: (start, end) => void parts.read(start, end, writer, sink),
    pack: (start, end) => parts.pack(start, end),
    add({ functions, thunks = [] }) {
      sink.packedFunctions(functions, (address, size) => writer.takes(address, size));
      writer.addThunks(thunks);
    },
    share: () => parts.share(),
    ...(meanwhile !== undefined && { meanwhile }),
  };
}

function nameProcedure({ name, type, typeIsId, thunk }: Procedure, functions: FunctionNames): string {
  // Exception handlers of MSVC, such as `main$fin$0`, have no type.
  if (thunk || type === 0) return cleanName(name);
  return functions.format(name, typeIsId ? (functions.find(type)?.type ?? 0) : type);
}
