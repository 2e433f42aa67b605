// Names functions that were inlined, by their records in the IPI stream.
import type { FunctionSink } from '../symbols/record-packer.ts';
import { readString, u32 } from './bytes.ts';
import { cleanName, type TypeNames } from './type-names.ts';
import type { TypeStream } from './type-stream.ts';

const LF_FUNC_ID = 0x1601;
const LF_MFUNC_ID = 0x1602;
const LF_STRING_ID = 0x1605;
/** Numbers of inlined functions that are kept. */
const MAX_CACHED = 500_000;
const UNKNOWN_FUNCTION = '<unknown function>';
/** What dump_syms calls a function with an empty name. */
const NO_NAME = '<name omitted>';

/** A function by its name and the number of its type. */
interface FunctionId {
  readonly name: string;
  readonly type: number;
}

export class FunctionNames {
  readonly #ids: TypeStream;
  readonly #types: TypeNames;
  /** Numbers in the sink, by the number of the record. */
  readonly #origins = new Map<number, number>();

  constructor(ids: TypeStream, types: TypeNames) {
    this.#ids = ids;
    this.#types = types;
  }

  /** The number of an inlined function in a sink, by the number of its record. Always takes the same sink. */
  origin(id: number, sink: FunctionSink): number {
    let origin = this.#origins.get(id);
    if (origin === undefined) {
      origin = sink.origin(this.inlined(id) ?? UNKNOWN_FUNCTION);
      if (this.#origins.size >= MAX_CACHED) this.#origins.clear();
      this.#origins.set(id, origin);
    }
    return origin;
  }

  /** The name with parameters of a function by its name and type. */
  format(name: string, type: number): string {
    return (name === '' ? NO_NAME : cleanName(name)) + this.#types.signature(type);
  }

  /** Formats the function with the number of a record. Returns undefined if there is none. */
  inlined(id: number): string | undefined {
    const found = this.find(id);
    return found && this.format(found.name, found.type);
  }

  /** The qualified name and the type of a function by the number of its record. */
  find(id: number): FunctionId | undefined {
    const record = this.#ids.record(id);
    if (record === undefined) return undefined;
    const { kind, bytes } = record;
    if (kind !== LF_FUNC_ID && kind !== LF_MFUNC_ID) return undefined;
    const parent = u32(bytes, 0);
    const name = readString(bytes, 8, bytes.length);
    const scope = kind === LF_MFUNC_ID ? this.#types.name(parent) : this.#scope(parent);
    return { name: scope === '' ? name : `${scope}::${name}`, type: u32(bytes, 4) };
  }

  /** A namespace, as a string; empty for the global one. */
  #scope(id: number): string {
    const record = id === 0 ? undefined : this.#ids.record(id);
    return record?.kind === LF_STRING_ID ? readString(record.bytes, 4, record.bytes.length) : '';
  }
}
