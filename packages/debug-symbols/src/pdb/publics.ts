// The public symbols: names of functions whose object files have no debug information.
import type { ByteSource } from '../byte-source.ts';
import type { SymbolSink } from '../symbol-sink.ts';
import type { AddressMap } from './address-map.ts';
import { AddressSet } from './address-set.ts';
import { readString, u16, u32 } from './bytes.ts';
import type { CoveredRanges } from './covered-ranges.ts';

const S_PUB32 = 0x110e;
const CODE_OR_FUNCTION = 3;
const CHUNK_SIZE = 1 << 20;
const NAME_AT = 14;

/**
 * Writes the public symbols in code that is not part of a function, such as labels in assembly code. Returns their
 * addresses.
 */
export function writePublics(
  records: ByteSource,
  addresses: AddressMap,
  functions: CoveredRanges,
  sink: SymbolSink,
  readName: (name: string) => PublicName,
): AddressSet {
  const written = new AddressSet();
  visitRecords(records, (bytes, at, end) => {
    const section = u16(bytes, at + 12);
    if ((u32(bytes, at + 4) & CODE_OR_FUNCTION) === 0 && !addresses.section(section)?.executable) return;
    const linked = addresses.linkedAddress(section, u32(bytes, at + 8));
    const address = linked < 0 ? undefined : addresses.imageAddress(linked);
    if (address === undefined || address > 0xfffffffe || functions.has(address)) return;
    // Functions that the linker folded have several symbols, of which the first one is used.
    if (!written.add(address)) return;
    sink.publicSymbol({ address, ...readName(readString(bytes, at + NAME_AT, end)) });
  });
  return written;
}

/** Calls `visit` for each public symbol. The stream can be large, so it is read in chunks. */
function visitRecords(records: ByteSource, visit: (bytes: Uint8Array, at: number, end: number) => void): void {
  let chunk: Uint8Array = new Uint8Array();
  let chunkStart = 0;
  for (let position = 0; position + 4 <= records.size; ) {
    let at = position - chunkStart;
    // No record is larger than 64 KiB, so with that much left there is no need to look whether it ends in the chunk.
    if (at + 0x10002 > chunk.length && chunkStart + chunk.length < records.size) {
      chunkStart = position;
      chunk = records.read(position, Math.min(CHUNK_SIZE, records.size - position));
      at = 0;
    }
    const size = u16(chunk, at);
    const end = at + 2 + size;
    if (size < 2 || end > chunk.length) return;
    if (u16(chunk, at + 2) === S_PUB32 && size + 2 > NAME_AT) visit(chunk, at, end);
    position += 2 + size;
  }
}

/** A name for people, and what the decoration says about parameters. */
export interface PublicName {
  readonly name: string;
  /** Bytes on the stack. */
  readonly parameterSize: number;
}

/**
 * Undoes the decoration of C names of 32-bit code: `_cdecl`, `_stdcall@8`, `@fastcall@8` and `vectorcall@@8`, where the
 * number is the size of the parameters. See Microsoft's "Decorated names", section "Format of a C decorated name". Two
 * parameters of a `__fastcall` function are in registers.
 */
export function readDecoratedName(name: string): PublicName {
  const vector = /^([^@]+)@@(\d{1,5})$/.exec(name);
  if (vector !== null) return { name: vector[1]!, parameterSize: 0 };
  const match = /^([_@])([^@]+)@(\d{1,5})$/.exec(name);
  if (match !== null) {
    const size = Number(match[3]);
    return { name: match[2]!, parameterSize: match[1] === '@' ? Math.max(size - 8, 0) : size };
  }
  return { name: name.startsWith('_') ? name.slice(1) : name, parameterSize: 0 };
}
