// The small ELF file in a stripped program, which has the names of its functions: `.gnu_debugdata`, compressed with xz.
// Fedora and its relatives have it in all programs.
import { DebugSymbolsError } from '../error.ts';
import { keepUnpacked } from '../unpacked.ts';
import { unpackXz } from '../xz/xz.ts';
import { Elf, isElf } from './elf.ts';

/** Symbol tables of the largest programs need a fraction of it. */
const MAX_SIZE = 256 * 1024 * 1024;
/** Names become five to ten times smaller. Much more is made to fill a disk. */
const MAX_RATIO = 64;
const ANY_RATIO_SIZE = 16 * 1024 * 1024;
const MARK_BYTES = 4;

/** Undefined if the program has none, or it is damaged: the rest of the program is still of use. */
export function readMiniDebugInfo(elf: Elf): Elf | undefined {
  const section = elf.section('.gnu_debugdata');
  if (section === undefined) return undefined;
  try {
    const mini = openMini(elf, section);
    return mini.cpu === elf.cpu && mini.is64 === elf.is64 ? mini : undefined;
  } catch (error) {
    if (error instanceof DebugSymbolsError) return undefined;
    throw error;
  }
}

function openMini(elf: Elf, section: { readonly offset: number; readonly size: number }): Elf {
  const packed = elf.part(section);
  const limit = Math.min(MAX_SIZE, Math.max(ANY_RATIO_SIZE, packed.size * MAX_RATIO));
  const source = keepUnpacked(unpackXz(packed), limit, elf.scratch);
  if (!isElf(source.read(0, Math.min(MARK_BYTES, source.size))))
    throw new DebugSymbolsError('malformed', '.gnu_debugdata is not an ELF file');
  return new Elf(source, elf.scratch);
}
