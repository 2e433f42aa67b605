// The names of debug files in ELF files: `.gnu_debuglink` of a stripped program, and `.gnu_debugaltlink` of dwz.
import { type Elf, textAt } from './elf.ts';

/** The file with the debug information; undefined if the program names none. */
export function readDebugLink(elf: Elf): string | undefined {
  return readName(elf, '.gnu_debuglink');
}

/** The file into which dwz has moved what several debug files share; undefined if it has moved nothing. */
export function readSupplementaryLink(elf: Elf): string | undefined {
  return readName(elf, '.gnu_debugaltlink');
}

function readName(elf: Elf, section: string): string | undefined {
  const contents = elf.contents(section);
  if (contents === undefined) return undefined;
  return textAt(contents.read(0, Math.min(contents.size, 4096)), 0) || undefined;
}
