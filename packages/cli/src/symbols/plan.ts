// Plans which files become symbol files, and which belong together: programs with their PDBs, dSYMs and debug files.
import { dirname, join } from 'node:path';
import { DebugSymbolsError } from '@chauffeur/debug-symbols/error';
import { type FilePart, inspectFile } from '@chauffeur/debug-symbols/inspect-file';
import type { FoundFile } from './find-files.ts';

/** A module in a native file. */
export type Part = FilePart & { readonly file: FoundFile };

/** What to convert. */
export type Conversion = {
  readonly main: Part;
  /** The file with the other half of the module. */
  readonly counterpart: Part | undefined;
  /** The file that has the name of the counterpart, but is of another build. */
  readonly mismatch: Part | undefined;
  /** `.dwp` and `.dwo` files, the best first. */
  readonly splitFiles: readonly string[];
};

export type Plan = {
  readonly conversions: readonly Conversion[];
  /** Sentences about files that can't be read. */
  readonly warnings: readonly string[];
};

/** Plans the conversion of native files, except of modules whose ids are `known`, because they have a symbol file. */
export function planConversions(files: readonly FoundFile[], known: ReadonlySet<string>): Plan {
  const warnings: string[] = [];
  const parts = files.flatMap((file) => {
    try {
      return inspectFile(file.path).map((part): Part => ({ ...part, file }));
    } catch (error) {
      if (!(error instanceof DebugSymbolsError) && !(error as NodeJS.ErrnoException).syscall) throw error;
      warnings.push(`${file.name} is left out because it can't be read: ${(error as Error).message}.`);
      return [];
    }
  });
  const split = parts.filter(({ kind }) => kind === 'split');
  const modules = parts.filter(({ kind, id }) => kind !== 'split' && !(id !== undefined && known.has(id)));
  const paired = pair(modules);
  const taken = new Set(paired.map(({ counterpart }) => counterpart));
  const free = modules.filter((part) => !taken.has(part));
  const conversions = paired.map(({ main, counterpart }) => ({
    ...{ main, counterpart },
    mismatch: main.hasDebugInfo || counterpart !== undefined ? undefined : findMismatch(main, free),
    splitFiles: main.format === 'elf' ? splitFilesOf(main, split) : [],
  }));
  return { conversions, warnings };
}

type Pair = { readonly main: Part; readonly counterpart: Part | undefined };

function pair(parts: readonly Part[]): Pair[] {
  const groups = Map.groupBy(parts, keyOf);
  const pairs: Pair[] = [];
  const used = new Set<Part>();
  for (const group of groups.values()) {
    const programs = group.filter(({ kind }) => kind === 'program');
    const debugFiles = group.filter(({ kind }) => kind === 'debug');
    const main = best(programs) ?? best(debugFiles);
    if (main === undefined) continue;
    // A PDB says more than the DWARF in a program for Windows, which may be that of one library.
    const isWhole = main.kind === 'debug' || (main.hasDebugInfo && main.format !== 'pe');
    const counterpart = isWhole ? undefined : (best(debugFiles) ?? namedCounterpart(main, parts));
    pairs.push({ main, counterpart });
    if (counterpart !== undefined) used.add(counterpart);
  }
  return pairs.filter(({ main }) => !used.has(main));
}

/** What is equal for all copies of a module and its debug file. Without an id, each file is a module. */
function keyOf({ format, cpu, id, file }: Part): string {
  if (id === undefined || /^0*$/.test(id)) return `file ${file.path} ${cpu}`;
  // A PDB doesn't always say its CPU.
  return format === 'pe' || format === 'pdb' ? `windows ${id}` : `${format} ${cpu} ${id}`;
}

/** The part with the most information. */
function best(parts: readonly Part[]): Part | undefined {
  return parts.toSorted((a, b) => Number(b.hasDebugInfo) - Number(a.hasDebugInfo) || b.file.size - a.file.size)[0];
}

/** Files without ids are connected by name: those of ELF, and of MinGW, which the converter compares further. */
function namedCounterpart(main: Part, parts: readonly Part[]): Part | undefined {
  if (!['elf', 'pe'].includes(main.format) || main.id !== undefined || main.debugName === undefined) return undefined;
  return parts.find(
    ({ format, kind, id, cpu, file }) =>
      format === main.format &&
      kind === 'debug' &&
      id === undefined &&
      cpu === main.cpu &&
      nameOf(file) === main.debugName,
  );
}

/** The last part of the name of a file. */
export function nameOf({ name }: { readonly name: string }): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** The names that the debug file of a program usually has. */
export function debugNamesOf(main: Part): string[] {
  const name = nameOf(main.file);
  const linked = main.debugName === undefined ? [] : [main.debugName];
  if (main.format === 'pe') return [...linked, `${name.replace(/\.[^.]*$/, '')}.pdb`];
  if (main.format === 'elf') return [...linked, `${name}.debug`, `${name}.dbg`];
  return [name];
}

/** Looks for a debug file of the right name that belongs to another build, also next to the program. */
function findMismatch(main: Part, parts: readonly Part[]): Part | undefined {
  if (main.kind !== 'program' || main.id === undefined) return undefined;
  const names = debugNamesOf(main).map((name) => name.toLowerCase());
  const isOther = (part: Part) =>
    part.kind === 'debug' &&
    part.id !== main.id &&
    (part.format === main.format ? part.cpu === main.cpu : part.format === 'pdb' && main.format === 'pe');
  const given = parts.find((part) => isOther(part) && names.includes(nameOf(part.file).toLowerCase()));
  if (given !== undefined || main.format === 'macho') return given;
  for (const name of debugNamesOf(main)) {
    const path = join(dirname(main.file.path), name);
    const found = inspectNeighbour(path, name).find((part) => part.id === main.id || isOther(part));
    // The converter finds it.
    if (found?.id === main.id) return undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function inspectNeighbour(path: string, name: string): Part[] {
  try {
    return inspectFile(path).map((part) => ({
      ...part,
      file: { kind: 'native', path, name, size: 0, isUnpacked: false },
    }));
  } catch {
    return [];
  }
}

/** All split files, because names don't say to which program one belongs. The one with its name is tried first. */
function splitFilesOf(main: Part, split: readonly Part[]): string[] {
  const own = `${nameOf(main.file)}.dwp`;
  return split
    .toSorted((a, b) => Number(nameOf(b.file) === own) - Number(nameOf(a.file) === own))
    .map(({ file }) => file.path);
}
