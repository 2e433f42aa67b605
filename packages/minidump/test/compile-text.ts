// Compiles the text of a symbol file in memory, for tests.
import { openSymbolCache, type SymbolCache } from '../src/symbols/cache/cache.ts';
import { MemoryRangeReader } from '../src/symbols/cache/range-reader.ts';
import { SymbolCompiler } from '../src/symbols/compiler/compiler.ts';

/** The first line, which every symbol file must have. */
export const MODULE = 'MODULE Linux x86_64 0123456789ABCDEF0123456789ABCDEF0 game\n';

export type Compiled = { readonly cache: SymbolCache; readonly compiler: SymbolCompiler; readonly bytes: Uint8Array };

/** Compiles `text` in chunks of `pieceSize` bytes. */
export function compileText(text: string | Uint8Array, pieceSize = 1 << 20): Compiled {
  const source = typeof text === 'string' ? Buffer.from(text) : text;
  const pieces: Uint8Array[] = [];
  const compiler = new SymbolCompiler({ write: (bytes) => pieces.push(Uint8Array.from(bytes)) });
  for (let at = 0; at < source.length; at += pieceSize) compiler.write(source.subarray(at, at + pieceSize));
  compiler.finish();
  const bytes = Buffer.concat(pieces);
  return { cache: openSymbolCache(new MemoryRangeReader(bytes)), compiler, bytes };
}

/** Looks up an offset in a text without its first line. */
export const placeIn = (text: string, offset: number) => compileText(MODULE + text).cache.placeAt(offset);
export const cfiIn = (text: string, offset: number) => compileText(MODULE + text).cache.cfiAt(offset);
export const stackWinIn = (text: string, offset: number) => compileText(MODULE + text).cache.stackWinAt(offset);

/** Returns the problems of a text without its first line, each as `line: text`. The text starts at line 2. */
export function problemsOf(text: string): string[] {
  return compileText(MODULE + text).compiler.problems.map((problem) => `${problem.line}: ${problem.text}`);
}
