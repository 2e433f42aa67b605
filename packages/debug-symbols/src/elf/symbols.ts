// The symbol tables of ELF files.
import { Cursor } from '../cursor.ts';
import { type Elf, SECTION, textAt } from './elf.ts';

export type ElfSymbol = { readonly name: string; readonly address: number; readonly size: number };

const FUNCTION = 2;
const INDIRECT_FUNCTION = 10;

/** The defined functions of a symbol table, by ascending address. The lowest bit of Thumb code is removed. */
export function readFunctionSymbols(elf: Elf, type: 'symbols' | 'dynamicSymbols'): ElfSymbol[] {
  const section = elf.sections.find((each) => each.type === SECTION[type] && each.size > 0);
  const strings = section && elf.sections[section.link];
  if (section === undefined || strings === undefined || strings.type === SECTION.empty) return [];
  const entrySize = elf.is64 ? 24 : 16;
  const text = wholeOf(elf, strings);
  const cursor = new Cursor(wholeOf(elf, section), elf.littleEndian);
  const symbols: ElfSymbol[] = [];
  while (cursor.left >= entrySize) {
    const nameAt = cursor.u32();
    let [address, size] = elf.is64 ? [0, 0] : [cursor.u32(), cursor.u32()];
    const info = cursor.u8();
    cursor.skip(1);
    const definedIn = cursor.u16();
    if (elf.is64) [address, size] = [cursor.u64(), cursor.u64()];
    const kind = info & 0xf;
    if ((kind !== FUNCTION && kind !== INDIRECT_FUNCTION) || definedIn === 0) continue;
    const name = textAt(text, nameAt);
    if (name !== '') symbols.push({ name, address: elf.cpu === 'arm' ? address - (address & 1) : address, size });
  }
  return symbols.sort((a, b) => a.address - b.address);
}

function wholeOf(elf: Elf, section: { offset: number; size: number }): Uint8Array {
  const part = elf.part(section);
  return part.read(0, part.size);
}
