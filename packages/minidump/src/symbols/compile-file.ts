// Compiles a symbol file on disk into a cache beside others, which appears under its name only when it is whole.
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { SymbolCompiler } from './compiler/compiler.ts';
import type { SymbolProblem } from './compiler/problems.ts';
import type { ModuleLine } from './module-line.ts';

const CHUNK = 1 << 18;

/** What came of it: the module, and what was left out of the text. */
export type CompiledFile = {
  readonly module: ModuleLine;
  readonly problems: readonly SymbolProblem[];
  readonly problemCount: number;
};

/**
 * Compiles the symbol file at `path` into `cachePath`, whose folder is made. Several processes may do so at once: each
 * writes a file of its own, and the last one that renames its own stays. Throws a MinidumpError `bad-symbols` or
 * `too-large` for what is in the text, and what the file system says for everything else; then `cachePath` is as it was.
 */
export function compileSymbolFile(path: string, cachePath: string): CompiledFile {
  mkdirSync(dirname(cachePath), { recursive: true });
  const temporary = `${cachePath}.${randomUUID()}.part`;
  try {
    const compiled = compileToNewFile(path, temporary);
    renameSync(temporary, cachePath);
    return compiled;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Compiles the symbol file at `path` into memory: a fifth to a third of the text’s size. */
export function compileSymbolFileToMemory(path: string): Uint8Array {
  const pieces: Uint8Array[] = [];
  compileInto(path, (bytes) => pieces.push(Uint8Array.from(bytes)));
  return Buffer.concat(pieces);
}

/** When a file was last changed, in whole microseconds since 1970: programs write two files within a millisecond. */
export function sourceTimeOf({ mtimeMs }: Stats): number {
  return Math.round(mtimeMs * 1000);
}

function compileToNewFile(path: string, newPath: string): CompiledFile {
  const output = openSync(newPath, 'wx');
  try {
    return compileInto(path, (bytes) => writeAll(output, bytes));
  } finally {
    closeSync(output);
  }
}

function compileInto(path: string, write: (bytes: Uint8Array) => void): CompiledFile {
  const input = openSync(path, 'r');
  try {
    const compiler = new SymbolCompiler({ write }, { sourceTime: sourceTimeOf(fstatSync(input)) });
    const chunk = new Uint8Array(CHUNK);
    for (let count = readSync(input, chunk); count > 0; count = readSync(input, chunk)) {
      compiler.write(chunk.subarray(0, count));
    }
    const module = compiler.finish();
    return { module, problems: compiler.problems, problemCount: compiler.problemCount };
  } finally {
    closeSync(input);
  }
}

function writeAll(output: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(output, bytes, written);
}
