// Converts programs of every kind and compares the result with those of two reference converters.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type Agreement, compareSymbols } from '../test/compare-symbols.ts';
import { CORPUS_MISSING, listCorpus, readCorpus } from '../test/native-corpus.ts';
import { convertFile } from './convert-file.ts';
import { DebugSymbolsError } from './error.ts';
import { identityRecords } from './identity.ts';

type Case = {
  readonly main?: string;
  readonly inputs?: readonly { readonly name: string }[];
  readonly expected?: string;
};

type Measure = 'functions' | 'lines' | 'inlines' | 'frames';

const MEASURES: readonly Measure[] = ['functions', 'lines', 'inlines', 'frames'];
/** Which share of the reference must be the same. */
const AIMS: Readonly<Record<Measure, number>> = { functions: 0.99, lines: 0.99, inlines: 0.98, frames: 0.99 };

/** Why a reference is wrong about some facts, or has none. */
const REASONS = {
  aliases: 'several names have one address, and each is right',
  callFiles: 'DWARF 2 has no files of inlined calls, for which the reference has the compilation folder',
  compact: 'the reference takes code without unwind tables for leaf functions, and leaves out saved registers',
  fileFolder: 'the reference puts the compilation folder in front of absolute paths of files',
  innermost: 'the reference has the line of the call for code that was inlined at several levels',
  mingwInlines: 'the reference has no inlined calls of MinGW, and gives their code the lines of the callers',
  mingwModule: 'the reference leaves the name of a module without a PDB empty',
  mingwNames: 'the reference leaves names of MinGW mangled, or does not find them',
  omapNames: 'the reference has names as the library of Microsoft writes them',
  prologues: 'the reference has no rules for prologues and epilogues',
  returnAddress: 'the reference has no rule for a return address that is still in its register',
  splitPaths: 'the reference was made of a program that was compiled in another folder',
  thumb: 'the reference finds no symbols of Thumb code, because their addresses are odd',
} as const;

type Reason = keyof typeof REASONS;
type Explained = Partial<Record<Measure | 'module', Reason>>;

const PROLOGUES: Explained = { frames: 'prologues' };
const CLANG_PDB: Explained = { lines: 'innermost', frames: 'prologues' };
const MINGW: Explained = { functions: 'mingwNames', lines: 'mingwInlines' };

/** What misses an aim, and why. */
const EXPLAINED: Readonly<Record<string, Explained>> = {
  'elf-aarch64-clang-O2': { inlines: 'fileFolder' },
  'elf-aarch64-gcc-O2': { frames: 'returnAddress' },
  'elf-armhf-gcc-O2': { functions: 'thumb' },
  'elf-armhf-gcc-O2-hosted': { functions: 'thumb' },
  'elf-x86_64-clang-split-dwarf5-dwp': { lines: 'splitPaths', inlines: 'splitPaths' },
  'elf-x86_64-clang-zstd': { lines: 'fileFolder', inlines: 'fileFolder' },
  'elf-x86_64-clang19-O2-hosted': { lines: 'fileFolder', inlines: 'fileFolder' },
  'elf-x86_64-gcc-dwarf2': { inlines: 'callFiles' },
  'elf-x86_64-gcc-split-dwarf5-dwo': { lines: 'splitPaths', inlines: 'splitPaths' },
  'macho-arm64-O2': { frames: 'compact' },
  'macho-arm64-dwarf5': { lines: 'fileFolder', inlines: 'fileFolder', frames: 'compact' },
  'macho-arm64-eh-frame': { frames: 'compact' },
  'macho-arm64-stripped': { frames: 'compact' },
  'macho-x86_64-O0': { frames: 'compact' },
  'macho-x86_64-O2': PROLOGUES,
  'macho-x86_64-dylib': PROLOGUES,
  'pdb-arm64-clang-O2': { lines: 'innermost' },
  'pdb-x86-clang-O2-fp': { lines: 'innermost' },
  'pdb-x86-clang-Os-dll': { lines: 'innermost' },
  'pdb-x86_64-clang-O0': PROLOGUES,
  'pdb-x86_64-clang-O2': CLANG_PDB,
  'pdb-x86_64-clang-O2-dll': CLANG_PDB,
  'pdb-x86_64-clang-funcsections-icf': CLANG_PDB,
  'pdb-x86_64-clang-lines-only': CLANG_PDB,
  'pe-dwarf-x86-mingw-O2': { ...MINGW, module: 'mingwModule' },
  'pe-dwarf-x86_64-mingw-O2': { ...MINGW, ...PROLOGUES, module: 'mingwModule' },
  'pe-x86_64-mingw-stripped': { ...PROLOGUES, module: 'mingwModule' },
  'pub-elf-arm64-cfi-test': { frames: 'returnAddress' },
  'pub-macho-armv7-crashlib': { frames: 'returnAddress' },
  'pub-macho-sentryswift': { lines: 'fileFolder', frames: 'returnAddress' },
  'pub-macho-x86_64-crash': { frames: 'compact' },
  'pub-pdb-x86-crash': { lines: 'innermost', inlines: 'innermost' },
  'pub-pdb-x86-omap-bbs': { functions: 'omapNames' },
  'pub-pdb-x86-omap-stretched-filled': { functions: 'omapNames' },
  'pub-pdb-x86_64-regtest64': PROLOGUES,
  'pub-pe-dwarf-x86_64-basic64': { ...MINGW, ...PROLOGUES },
  'pub-pe-x86_64-mozwer': PROLOGUES,
  'pub-pe-x86_64-only-symbol': PROLOGUES,
};

describe('the corpus of native programs', { skip: CORPUS_MISSING }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'debug-symbols-corpus-'));
  const rows: string[] = [];
  after(() => {
    rmSync(folder, { recursive: true, force: true });
    process.stdout.write(`${['case: functions, lines, inlined calls, frames', ...rows].join('\n')}\n`);
  });

  for (const name of listCorpus('').filter((each) => /^(?:elf|macho|pdb|pe|pub)-/.test(each))) {
    it(`${name}: agrees with a reference, or differs for a reason`, () => {
      const description: Case = JSON.parse(new TextDecoder().decode(readCorpus(`${name}/case.json`)));
      const path = unpack(name, description, folder);
      const { identity, writer } = convertFile(path);
      const text = [...writer.write(identityRecords(identity))].join('');
      const references = [description.expected?.replace(/\.gz$/, '') ?? 'reference.sym', 'breakpad.sym'];
      const agreements = references.flatMap((file) => {
        const reference = readCorpus(`${name}/${file}`);
        return reference === undefined ? [] : [compareSymbols(new TextDecoder().decode(reference), text)];
      });
      if (agreements.length === 0) return;
      rows.push(formatRow(name, agreements));
      assert.deepEqual(findMisses(name, agreements), []);
    });
  }

  for (const file of listCorpus('', 'hostile').filter((each) => /\.bin(?:\.gz)?$/.test(each))) {
    const name = file.replace(/\.gz$/, '');
    it(`${name}: is converted in part or refused with an error of the package`, () => {
      const path = join(folder, name);
      writeFileSync(path, readCorpus(`hostile/${name}`)!);
      try {
        const { identity, writer } = convertFile(path);
        for (const record of writer.write(identityRecords(identity))) assert.ok(record !== undefined);
      } catch (error) {
        assert.ok(error instanceof DebugSymbolsError, String(error));
      }
    });
  }
});

function unpack(name: string, { main = '', inputs = [] }: Case, folder: string): string {
  for (const input of inputs) {
    const path = join(folder, name, input.name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, readCorpus(`${name}/${input.name}`)!);
  }
  return join(folder, name, main);
}

/** What misses its aim without a reason, and reasons that aren't needed anymore. */
function findMisses(name: string, agreements: readonly Agreement[]): string[] {
  const explained = EXPLAINED[name] ?? {};
  const misses = MEASURES.filter((measure) => {
    const best = Math.max(...agreements.map((agreement) => agreement[measure]));
    return best < AIMS[measure] !== measure in explained;
  });
  const isSame = agreements.some(({ module }) => module);
  return [...misses, ...(isSame === 'module' in explained ? ['module'] : [])];
}

function formatRow(name: string, agreements: readonly Agreement[]): string {
  const explained = EXPLAINED[name] ?? {};
  const shares = MEASURES.map((measure) => {
    const best = Math.max(...agreements.map((agreement) => agreement[measure]));
    return `${(best * 100).toFixed(1)} %`.padStart(8);
  });
  const reasons = [...new Set(Object.values(explained))].map((reason) => REASONS[reason]);
  return `${name.padEnd(36)}${shares.join('')}${reasons.length === 0 ? '' : `  (${reasons.join('; ')})`}`;
}
