// Damaged files may give an error or a part of the symbols, but nothing else.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { damage } from '../../test/damage.ts';
import { CORPUS_MISSING, listCorpus, readCorpus, readProgram } from '../../test/native-corpus.ts';
import { RecordedSymbols } from '../../test/recorded-symbols.ts';
import { MemorySource } from '../byte-source.ts';
import { DebugSymbolsError } from '../error.ts';
import { readArm64Unwind } from '../windows-unwind/arm64.ts';
import { readX64Unwind } from '../windows-unwind/x64.ts';
import { readCodeView } from './code-view.ts';
import { readPe } from './functions.ts';
import { openPe, type Pe } from './pe.ts';

/** Returns the number of lines that each reader wrote; undefined if the file could not be opened. */
function readAll(bytes: Uint8Array): number[] | undefined {
  const pe = attempt(() => openPe(new MemorySource(bytes)));
  if (pe === undefined) return undefined;
  return READERS.map((read) => {
    const symbols = new RecordedSymbols();
    attempt(() => read(pe, symbols));
    return symbols.lines.length;
  });
}

const READERS: ((pe: Pe, symbols: RecordedSymbols) => unknown)[] = [
  readX64Unwind,
  readArm64Unwind,
  (pe, symbols) => readPe(pe, 'damaged.exe', symbols, (name) => name),
  (pe) => [pe.codeId, readCodeView(pe), pe.section('.text')],
];

function attempt<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch (error) {
    assert.ok(error instanceof DebugSymbolsError, String(error));
    return undefined;
  }
}

describe('damaged PE files', { skip: CORPUS_MISSING }, () => {
  const cases = [
    'pe-x86_64-mingw-stripped',
    'pe-dwarf-x86-mingw-O2',
    'pdb-x86_64-clang-O2-dll',
    'pdb-arm64-clang-O2',
    'pub-pe-x86_64-only-symbol',
  ].filter((name) => listCorpus(name).length > 0);
  for (const name of cases) {
    it(`${name}: gives a part of the symbols or a DebugSymbolsError`, () => {
      const { bytes } = readProgram(name)!;
      for (const damaged of damage(bytes, 150, 1)) readAll(damaged);
      assert.notEqual(readAll(bytes), undefined);
    });
  }

  for (const file of listCorpus('pe-', 'hostile')) {
    it(`${file}: gives a part of the symbols or a DebugSymbolsError, soon`, () => {
      const start = process.threadCpuUsage();
      readAll(readCorpus(`hostile/${file.replace(/\.gz$/, '')}`)!);
      assert.ok(process.threadCpuUsage(start).user < 2_000_000);
    });
  }
});
