// The names of debug files in ELF files: `.gnu_debuglink` of a stripped program, and `.gnu_debugaltlink` of dwz.
import { type Elf, textAt } from './elf.ts';

const MAX_SECTION = 4096;

/** The file with the debug information; undefined if the program names none. */
export function readDebugLink(elf: Elf): string | undefined {
  return readName(elf, '.gnu_debuglink');
}

/** The file into which dwz has moved what several debug files share; undefined if it has moved nothing. */
export function readSupplementaryLink(elf: Elf): string | undefined {
  return readName(elf, '.gnu_debugaltlink');
}

/** The build id of that file, in lower-case hexadecimal digits, by which servers have it. */
export function readSupplementaryId(elf: Elf): string | undefined {
  const contents = elf.contents('.gnu_debugaltlink');
  if (contents === undefined) return undefined;
  const bytes = contents.read(0, Math.min(contents.size, MAX_SECTION));
  const end = bytes.indexOf(0);
  return end < 0 ? undefined : Buffer.from(bytes.subarray(end + 1)).toString('hex') || undefined;
}

function readName(elf: Elf, section: string): string | undefined {
  const contents = elf.contents(section);
  if (contents === undefined) return undefined;
  return textAt(contents.read(0, Math.min(contents.size, MAX_SECTION)), 0) || undefined;
}
