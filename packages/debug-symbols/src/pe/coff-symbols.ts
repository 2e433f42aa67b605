// Reads the COFF symbol table, which MinGW leaves in programs unless they are stripped. It is described in Microsoft's "PE
// Format", "COFF Symbol Table".

import { PartSource } from '../byte-source.ts';
import { BlockReader } from './block-reader.ts';
import { viewOf } from './headers.ts';
import type { Pe } from './pe.ts';

export interface CoffSymbol {
  /** Relative to the image base. */
  address: number;
  /** The name as linked, which can be mangled. On x86, C names begin with an underscore. */
  name: string;
  /** Whether the compiler marked it as a function. */
  isFunction: boolean;
  /** Whether other files can refer to it. */
  isExternal: boolean;
}

const ENTRY_SIZE = 18;
const CLASS_EXTERNAL = 2;
const CLASS_STATIC = 3;
const TYPE_FUNCTION = 2;
const ENTRIES_PER_READ = 4096;
const MAX_NAME_SIZE = 0x4000;

/** Returns the symbols in executable sections, in the order of the file, without the names of the sections themselves. */
export function* readCoffSymbols(pe: Pe): Generator<CoffSymbol> {
  const { offset, count: declared } = pe.headers.symbols;
  if (offset === 0 || offset >= pe.source.size) return;
  const count = Math.min(declared, Math.floor((pe.source.size - offset) / ENTRY_SIZE));
  const stringsAt = offset + count * ENTRY_SIZE;
  const strings = new BlockReader(new PartSource(pe.source, stringsAt, pe.source.size - stringsAt));
  // No two names share bytes. A file where their total is larger than the file is damaged.
  let budget = pe.source.size;
  let skip = 0;
  for (let first = 0; first < count; first += ENTRIES_PER_READ) {
    const entries = Math.min(ENTRIES_PER_READ, count - first);
    const table = pe.source.read(offset + first * ENTRY_SIZE, entries * ENTRY_SIZE);
    for (let at = skip * ENTRY_SIZE; at < table.length; at += ENTRY_SIZE * (1 + table[at + 17]!)) {
      const symbol = readSymbol(pe, table.subarray(at, at + ENTRY_SIZE), strings);
      skip = at / ENTRY_SIZE + 1 + table[at + 17]!;
      if (symbol === undefined) continue;
      budget -= symbol.name.length + 1;
      if (budget < 0) return;
      yield symbol;
    }
    // Auxiliary entries can go on in the next part of the table.
    skip = Math.max(0, skip - entries);
  }
}

function readSymbol(pe: Pe, entry: Uint8Array, strings: BlockReader): CoffSymbol | undefined {
  const view = viewOf(entry);
  const section = pe.headers.sections[view.getInt16(12, true) - 1];
  const storage = entry[16]!;
  if (section === undefined || !section.isExecutable) return undefined;
  if (storage !== CLASS_EXTERNAL && storage !== CLASS_STATIC) return undefined;
  const name = readName(entry, view, strings);
  // A static symbol with an auxiliary entry and the name of a section describes the section: `.text`, `.text$unlikely`.
  if (name === '' || name.startsWith('.')) return undefined;
  return {
    address: section.address + view.getUint32(8, true),
    name,
    isFunction: view.getUint16(14, true) >>> 4 === TYPE_FUNCTION,
    isExternal: storage === CLASS_EXTERNAL,
  };
}

function readName(entry: Uint8Array, view: DataView, strings: BlockReader): string {
  if (view.getUint32(0, true) !== 0) {
    const end = entry.indexOf(0);
    return new TextDecoder().decode(entry.subarray(0, end < 0 || end > 8 ? 8 : end));
  }
  const offset = view.getUint32(4, true);
  return offset >= strings.size ? '' : new TextDecoder().decode(strings.string(offset, MAX_NAME_SIZE));
}
