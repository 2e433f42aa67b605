// Says what would make the symbols of a module more useful.
import { formatNumber } from '@chauffeur/contract/format';
import { type Conversion, debugNamesOf, nameOf } from './plan.ts';
import type { Module } from './threads.ts';

export type Converted = { readonly conversion: Conversion; readonly module: Module };

/** A kind of shortcoming: what is missing, for one file or several, and what to add. */
type Gap = {
  readonly key: string;
  readonly name: string;
  readonly describe: (names: string, isOne: boolean) => string;
};

const MAX_NAMED = 5;

/** Sentences, in which files with the same shortcoming are named together. */
export function describeMissing(converted: readonly Converted[]): string[] {
  const gaps = Map.groupBy(converted.flatMap(gapsOf), ({ key }) => key);
  return [...gaps.values()].map((group) => {
    const names = [...new Set(group.map(({ name }) => name))];
    return group[0]!.describe(listNames(names), names.length === 1);
  });
}

function listNames(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  if (more > 1) return `${names.slice(0, MAX_NAMED).join(', ')} and ${formatNumber(more)} more`;
  return names.length === 1 ? names[0]! : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function gapsOf({ conversion, module }: Converted): Gap[] {
  const { main, counterpart, mismatch } = conversion;
  const { name } = main.file;
  if (mismatch !== undefined) {
    return [
      {
        key: `mismatch ${name} ${main.cpu}`,
        name,
        describe: () =>
          `${mismatch.file.name} belongs to another build than ${name}: its id is ${mismatch.id ?? 'missing'}, and ${name} has ${main.id}. ` +
          `Add the ${DEBUG_FILES[main.format]} that was written together with ${nameOf(main.file)}.`,
      },
    ];
  }
  const hasCounterpart = counterpart !== undefined || module.counterpart !== null;
  if (main.kind === 'debug' && !hasCounterpart) return programGaps(conversion, module);
  if (!main.hasDebugInfo && !hasCounterpart) return [strippedGap(conversion, module)];
  return withoutFunctions(conversion, module);
}

const DEBUG_FILES = { pe: 'PDB', pdb: 'PDB', elf: 'debug file', macho: 'dSYM', wasm: 'debug file' } as const;

/** Describes a debug file without its program. */
function programGaps(conversion: Conversion, module: Module): Gap[] {
  const { main } = conversion;
  const gaps = withoutFunctions(conversion, module);
  // Of a file without functions, nothing is uploaded, and a program would not help.
  if (module.functions + module.publics === 0) return gaps;
  if (main.format === 'pdb' && module.cpu === 'x86') return gaps;
  const program = main.format === 'pdb' ? '.exe or .dll, as players have it' : 'program or library, as players have it';
  const gap: Gap = {
    key: `program ${main.format}`,
    name: main.file.name,
    describe: (names, isOne) =>
      `${names}: ${isOne ? 'its program is missing' : 'their programs are missing'}, so there is no unwind data, ` +
      `and stacks are guessed. Add the ${program}.`,
  };
  return module.hasUnwind ? gaps : [...gaps, gap];
}

/** Describes a program without debug information. */
function strippedGap({ main }: Conversion, module: Module): Gap {
  const rest = describeRest(module);
  const [likely] = debugNamesOf(main);
  // MinGW writes no name of a PDB, because it writes none.
  const isNameless = main.format === 'pe' && main.debugName === undefined;
  const isSplit = main.format === 'pe' && !/\.pdb$/i.test(main.debugName ?? '');
  const what = isNameless
    ? 'the file as it was before it was stripped, or its PDB'
    : isSplit
      ? 'its debug file'
      : STRIPPED[main.format];
  return {
    key: `stripped ${what} ${rest}`,
    name: main.file.name,
    describe: (names, isOne) => {
      const add = isOne && main.format !== 'macho' && !isNameless ? `${what}, such as ${likely}` : what;
      return `${names} ${isOne ? 'has' : 'have'} no debug information${rest}. Add ${add}, to get functions and lines.`;
    },
  };
}

function describeRest({ hasUnwind, functions, publics }: Module): string {
  if (functions + publics > 0) return `, only exported names${hasUnwind ? ' and unwind data' : ''}`;
  return hasUnwind ? ', only unwind data' : ', names or unwind data';
}

const STRIPPED = {
  pe: 'the PDB',
  pdb: 'the PDB',
  elf: 'the file as it was before it was stripped, or its debug file',
  macho: 'the dSYM',
  wasm: 'its debug file',
} as const;

function withoutFunctions({ main }: Conversion, { functions, lines }: Module): Gap[] {
  if (functions > 0 && lines > 0) return [];
  const what = functions > 0 ? 'lines' : 'functions';
  return [
    {
      key: `no ${what} ${main.format}`,
      name: main.file.name,
      describe: (names, isOne) =>
        `${names}: ${isOne ? 'its debug information has' : 'their debug information has'} no ${what}. ${COMPILE[main.format]}`,
    },
  ];
}

const VISUAL_C =
  'Compile with /Zi, link with /DEBUG:FULL, and add the PDB itself instead of a stripped one (/PDBSTRIPPED).';
const COMPILE = {
  pe: VISUAL_C,
  pdb: VISUAL_C,
  elf: 'Compile and link with -g, and with -gsplit-dwarf, add the .dwp or .dwo files.',
  wasm: 'Compile and link with -g.',
  macho: 'Compile with -g, and create the dSYM with dsymutil while the object files are there.',
} as const;
