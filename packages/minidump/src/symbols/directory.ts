// Finds the symbols of modules in folders of symbol files, and keeps what it compiled of them.
import { hash } from 'node:crypto';
import { type Stats, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { MinidumpError } from '../error.ts';
import { openSymbolCache, type SymbolCache } from './cache/cache.ts';
import { FileReader, MemoryReader } from './cache/range-reader.ts';
import { compileSymbolFile, compileSymbolFileToMemory, sourceTimeOf } from './compile-file.ts';
import { KeptSymbols } from './kept-symbols.ts';
import type { ModuleId, ModuleSymbols, SymbolSource } from './module-symbols.ts';
import { symbolPathsOf } from './symbol-path.ts';

export type SymbolDirectoryOptions = {
  /** Where caches are kept between runs, laid out as the symbols are. Without one they are compiled into memory. */
  readonly cacheFolder?: string | undefined;
  /** Caches that are open at once, each with a megabyte of memory, and 32 MB more between them; the one that was not used for longest is closed; at least 1. */
  readonly maxOpen?: number;
};

/** A symbol file, and where its cache belongs. */
type SourceFile = { readonly path: string; readonly stats: Stats; readonly cachePath: string | undefined };

/** A dump may name thousands of modules that nobody has symbols of. */
const MAX_KNOWN = 4096;

/**
 * Symbols below one folder or several, laid out `<debug file>/<debug id>/<name>.sym`; the first folder that has a module’s
 * counts. A symbol file is compiled when it is first asked for, and again when it changed or its cache is damaged or of
 * another version. What was found, and what was not, is remembered until `close`: whoever adds symbols closes it, or makes another.
 */
export class SymbolDirectory implements SymbolSource {
  readonly #folders: readonly string[];
  readonly #cacheFolder: string | undefined;
  readonly #maxOpen: number;
  /** By module, those first that were asked for first: its symbols, that there are none, or why they cannot be read. */
  readonly #known = new Map<string, KeptSymbols | MinidumpError | undefined>();
  /** Those that are open, the latest used last. */
  readonly #open = new Set<KeptSymbols>();

  constructor(folders: readonly string[], { cacheFolder, maxOpen = 64 }: SymbolDirectoryOptions = {}) {
    this.#folders = folders;
    this.#cacheFolder = cacheFolder;
    this.#maxOpen = Math.max(1, maxOpen);
  }

  find(module: ModuleId): ModuleSymbols | undefined {
    const key = `${module.debugId}/${module.debugFile}`;
    if (!this.#known.has(key)) this.#remember(key, this.#search(module));
    const known = this.#known.get(key);
    if (known instanceof MinidumpError) throw known;
    return known;
  }

  /** Closes all caches and forgets what it knows. It can be asked again. */
  close(): void {
    for (const symbols of this.#open) symbols.release();
    this.#open.clear();
    this.#known.clear();
  }

  #remember(key: string, found: KeptSymbols | MinidumpError | undefined): void {
    if (this.#known.size >= MAX_KNOWN) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(key, found);
  }

  #search(module: ModuleId): KeptSymbols | MinidumpError | undefined {
    try {
      const source = this.#findFile(module);
      if (source === undefined) return undefined;
      const open = (again: boolean) => openOrCompile(source, again);
      return new KeptSymbols({ open, used: (symbols) => this.#markUsed(symbols) });
    } catch (error) {
      return unreadable(module.debugFile, error);
    }
  }

  #findFile(module: ModuleId): SourceFile | undefined {
    const paths = symbolPathsOf(module);
    for (const folder of this.#folders) {
      for (const names of paths) {
        const path = join(folder, ...names);
        const stats = statSync(path, { throwIfNoEntry: false });
        if (stats?.isFile() !== true) continue;
        const cachePath =
          this.#cacheFolder === undefined ? undefined : join(this.#cacheFolder, ...names) + cacheEndingOf(path);
        return { path, stats, cachePath };
      }
    }
    return undefined;
  }

  #markUsed(symbols: KeptSymbols): void {
    this.#open.delete(symbols);
    this.#open.add(symbols);
    if (this.#open.size <= this.#maxOpen) return;
    const [oldest] = this.#open;
    this.#open.delete(oldest!);
    oldest!.release();
  }
}

function openOrCompile(source: SourceFile, again: boolean): SymbolCache {
  try {
    return (again ? undefined : openFresh(source)) ?? compile(source);
  } catch (error) {
    throw unreadable(basename(source.path), error);
  }
}

/** What the file system says of symbols that are there, as the error that everyone expects. */
function unreadable(name: string, error: unknown): MinidumpError {
  if (error instanceof MinidumpError) return error;
  if (!isSystemError(error)) throw error;
  return new MinidumpError('bad-symbols', `The symbols of ${name} cannot be read (${error.code}).`, { cause: error });
}

/** Says where the symbol file lies: a module may have one in each of two folders, of the same size and written in the same tick. */
function cacheEndingOf(path: string): string {
  return `.${hash('sha256', resolve(path)).slice(0, 8)}.cache`;
}

/** The cache that is there, if it is whole and was made from the file as it is now. */
function openFresh({ stats, cachePath }: SourceFile): SymbolCache | undefined {
  if (cachePath === undefined) return undefined;
  try {
    const cache = openSymbolCache(new FileReader(cachePath));
    if (cache.sourceSize === stats.size && cache.sourceTime === sourceTimeOf(stats)) return cache;
    cache.close();
  } catch (error) {
    // Whatever keeps it from being read, a new one takes its place: no cache yet, damage, another version.
    if (!isBadCache(error) && !isSystemError(error)) throw error;
  }
  return undefined;
}

function compile({ path, cachePath }: SourceFile): SymbolCache {
  if (cachePath !== undefined) {
    try {
      compileSymbolFile(path, cachePath);
      return openSymbolCache(new FileReader(cachePath));
    } catch (error) {
      // A folder that cannot be written, a full disk, another version that writes there too: they cost time and not the symbols.
      if (!isSystemError(error) && !isBadCache(error)) throw error;
    }
  }
  return openSymbolCache(new MemoryReader(compileSymbolFileToMemory(path)));
}

function isBadCache(error: unknown): boolean {
  return error instanceof MinidumpError && error.code === 'bad-cache';
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
