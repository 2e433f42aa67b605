// The symbol tables of ELF files.
import { Cursor } from '../cursor.ts';
import { PagedSource } from '../paged-source.ts';
import { SymbolTable } from '../symbol-table.ts';
import { type Elf, SECTION } from './elf.ts';

const FUNCTION = 2;
const INDIRECT_FUNCTION = 10;
/** Bytes of names that are kept in memory. */
const KEPT_NAMES = 4 * 1024 * 1024;

/** The defined functions of a symbol table. The lowest bit of Thumb code is removed. */
export function readFunctionSymbols(elf: Elf, type: 'symbols' | 'dynamicSymbols'): SymbolTable {
  const section = elf.sections.find((each) => each.type === SECTION[type] && each.size > 0);
  const strings = section && elf.sections[section.link];
  if (section === undefined || strings === undefined || strings.type === SECTION.empty) return SymbolTable.empty;
  const entrySize = elf.is64 ? 24 : 16;
  const texts = new PagedSource(elf.part(strings), KEPT_NAMES);
  const entries = new PagedSource(elf.part(section), 0);
  const symbols = new SymbolTable({ texts });
  for (let at = 0; at + entrySize <= entries.size; at += entrySize) {
    const cursor = new Cursor(entries.read(at, entrySize), elf.littleEndian);
    const nameAt = cursor.u32();
    let address = elf.is64 ? 0 : cursor.u32();
    if (!elf.is64) cursor.skip(4);
    const info = cursor.u8();
    cursor.skip(1);
    const definedIn = cursor.u16();
    if (elf.is64) address = cursor.u64();
    const kind = info & 0xf;
    if ((kind !== FUNCTION && kind !== INDIRECT_FUNCTION) || definedIn === 0) continue;
    if (texts.isEmpty(nameAt)) continue;
    symbols.add(elf.cpu === 'arm' ? address - (address & 1) : address, nameAt);
  }
  return symbols;
}
