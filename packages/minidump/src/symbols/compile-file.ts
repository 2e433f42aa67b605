// Compiles a symbol file on disk into a cache file, which only appears under its name when it is complete.
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
import type { SymbolProblem } from './compiler/fields.ts';
import type { ModuleLine } from './module-line.ts';

const CHUNK_SIZE = 1 << 18;

/** The module, and the damaged lines of the text. */
type CompiledFile = {
  readonly module: ModuleLine;
  readonly problems: readonly SymbolProblem[];
  readonly problemCount: number;
};

/**
 * Compiles the symbol file at `path` into `cachePath`, and creates its folder. Several processes can do this at the same
 * time: each writes its own temporary file, and the last one to rename it wins. Throws a MinidumpError `bad-symbols` or
 * `too-large` if the text is invalid, and a system error for file system problems. In both cases, `cachePath` is
 * unchanged.
 */
export function compileSymbolFile(path: string, cachePath: string): CompiledFile {
  mkdirSync(dirname(cachePath), { recursive: true, mode: 0o700 });
  const temporary = `${cachePath}.${process.pid}-${Math.random().toString(36).slice(2)}.part`;
  try {
    const compiled = compileToNewFile(path, temporary);
    renameSync(temporary, cachePath);
    return compiled;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Compiles the symbol file at `path` into memory. The result has a fifth to a third of the size of the text. */
export function compileSymbolFileToMemory(path: string): Uint8Array {
  const pieces: Uint8Array[] = [];
  compileInto(path, (bytes) => pieces.push(Uint8Array.from(bytes)));
  return Buffer.concat(pieces);
}

/** Returns when a file was last changed, in microseconds since 1970: a file can change twice within a millisecond. */
export function sourceTimeOf({ mtimeMs }: Stats): number {
  return Math.round(mtimeMs * 1000);
}

function compileToNewFile(path: string, newPath: string): CompiledFile {
  const output = openSync(newPath, 'wx', 0o600);
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
    const chunk = new Uint8Array(CHUNK_SIZE);
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
