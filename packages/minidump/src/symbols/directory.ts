// Finds the symbols of modules in folders of symbol files, and manages their compiled caches.
import { closeSync, openSync, readdirSync, readSync, type Stats, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { crc32 } from 'node:zlib';
import { MinidumpError } from '../error.ts';
import { openSymbolCache, type SymbolCache } from './cache/cache.ts';
import { FileReader, MemoryRangeReader } from './cache/range-reader.ts';
import { compileSymbolFile, compileSymbolFileToMemory, sourceTimeOf } from './compile-file.ts';
import { identifyingCodeId, identifyingDebugId, identifyModule } from './module-identity.ts';
import { readSymbolFileHead } from './module-line.ts';
import type { CfiRules, CodePlace, ModuleId, ModuleSymbols, StackWin, SymbolSource } from './module-symbols.ts';
import { type SymbolPath, symbolFileName, symbolPathsOf } from './symbol-path.ts';

export type SymbolDirectoryOptions = {
  /**
   * Where to keep caches between runs, in the same layout as the symbols. Without it, symbols are compiled into memory.
   */
  readonly cacheFolder?: string | undefined;
  /**
   * The maximum number of open caches, at least 1. The least recently used one is closed first. Each needs 1 MiB of
   * memory, plus 32 MiB for all of them together.
   */
  readonly maxOpen?: number;
};

/** A symbol file and the path of its cache. */
type SourceFile = { readonly path: string; readonly stats: Stats; readonly cachePath: string | undefined };

/** A dump can contain thousands of modules without symbols. */
const MAX_RESULTS = 4096;

/**
 * Symbols in one or more folders, as `<debug file>/<debug id>/<name>.sym`. The first folder that has a module's symbols
 * under its name is used, otherwise the first that has symbols with its debug id under any name or, for files without a
 * debug id, with its code id. A symbol file is compiled on first use, and again if it changed, or if its cache is
 * damaged or has another version. Results, including missing symbols, are remembered until `close`, so call it after
 * adding symbols.
 */
export class SymbolDirectory implements SymbolSource {
  readonly #folders: readonly string[];
  readonly #cacheFolder: string | undefined;
  readonly #maxOpen: number;
  /** By module, oldest first: its symbols, undefined if they are missing, or the error if they cannot be read. */
  readonly #results = new Map<string, ReopeningSymbols | MinidumpError | undefined>();
  /** The ids of the symbol files of each folder, read when a module is not found by its name. */
  readonly #ids = new Map<string, ReadonlyMap<string, SymbolPath>>();
  /** The symbols whose caches are open, the most recently used last. */
  readonly #open = new Set<ReopeningSymbols>();

  constructor(folders: readonly string[], { cacheFolder, maxOpen = 64 }: SymbolDirectoryOptions = {}) {
    this.#folders = folders;
    this.#cacheFolder = cacheFolder;
    this.#maxOpen = Math.max(1, maxOpen);
  }

  find(module: ModuleId): ModuleSymbols | undefined {
    const key = `${module.debugId}/${module.codeId}/${module.debugFile}`;
    if (!this.#results.has(key)) this.#remember(key, this.#search(module));
    const result = this.#results.get(key);
    if (result instanceof MinidumpError) throw result;
    return result;
  }

  /** Closes all caches and forgets all results. The object can be used again afterwards. */
  close(): void {
    for (const symbols of this.#open) symbols.release();
    this.#open.clear();
    this.#results.clear();
    this.#ids.clear();
  }

  #remember(key: string, result: ReopeningSymbols | MinidumpError | undefined): void {
    if (this.#results.size >= MAX_RESULTS) this.#results.delete(this.#results.keys().next().value!);
    this.#results.set(key, result);
  }

  #search(module: ModuleId): ReopeningSymbols | MinidumpError | undefined {
    try {
      const source = this.#findFile(module);
      if (source === undefined) return undefined;
      const open = (recompile: boolean) => openOrCompile(source, recompile);
      return new ReopeningSymbols({ open, onUse: (symbols) => this.#markUsed(symbols) });
    } catch (error) {
      return unreadable(module.debugFile, error);
    }
  }

  #findFile(module: ModuleId): SourceFile | undefined {
    const { name, debugId, codeId } = identifyModule(module);
    const id = debugId || codeId;
    if (id === '') return undefined;
    const paths = symbolPathsOf({ ...module, debugFile: name, debugId: id });
    for (const folder of this.#folders) {
      for (const names of paths) {
        const file = this.#openFile(folder, names);
        if (file !== undefined) return file;
      }
    }
    for (const folder of this.#folders) {
      const ids = this.#idsOf(folder);
      const names = ids.get(debugId) ?? ids.get(codeId);
      if (names !== undefined) return this.#openFile(folder, names);
    }
    return undefined;
  }

  #openFile(folder: string, names: SymbolPath): SourceFile | undefined {
    const path = join(folder, ...names);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() !== true) return undefined;
    const cachePath =
      this.#cacheFolder === undefined ? undefined : join(this.#cacheFolder, ...names) + cacheSuffixOf(path);
    return { path, stats, cachePath };
  }

  #idsOf(folder: string): ReadonlyMap<string, SymbolPath> {
    const ids = this.#ids.get(folder) ?? readIds(folder);
    this.#ids.set(folder, ids);
    return ids;
  }

  #markUsed(symbols: ReopeningSymbols): void {
    this.#open.delete(symbols);
    this.#open.add(symbols);
    if (this.#open.size <= this.#maxOpen) return;
    const [oldest] = this.#open;
    this.#open.delete(oldest!);
    oldest!.release();
  }
}

/** In larger folders, modules are only found by their names. */
const MAX_FOLDERS = 10_000;

/** The paths of the symbol files in a folder, by debug id, or by the code id of their content if they have none. */
function readIds(folder: string): Map<string, SymbolPath> {
  const ids = new Map<string, SymbolPath>();
  const debugFiles = listFolder(folder);
  if (debugFiles.length > MAX_FOLDERS) return ids;
  for (const debugFile of debugFiles) {
    for (const debugId of listFolder(join(folder, debugFile))) {
      const names: SymbolPath = [debugFile, debugId, symbolFileName(debugFile)];
      const id = identifyingDebugId(debugId) || identifyingCodeId(readCodeId(join(folder, ...names)));
      if (id !== '' && !ids.has(id)) ids.set(id, names);
    }
  }
  return ids;
}

/** Returns no names if it is not a folder. */
function listFolder(path: string): string[] {
  try {
    return readdirSync(path).sort();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return [];
  }
}

/** Returns '' if the file cannot be read or has no code id. */
function readCodeId(path: string): string {
  try {
    const file = openSync(path, 'r');
    try {
      const head = Buffer.alloc(4096);
      return readSymbolFileHead(head.subarray(0, readSync(file, head))).codeId;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (!isSystemError(error) && !(error instanceof MinidumpError)) throw error;
    return '';
  }
}

function openOrCompile(source: SourceFile, recompile: boolean): SymbolCache {
  try {
    return (recompile ? undefined : openCurrent(source)) ?? compile(source);
  } catch (error) {
    throw unreadable(basename(source.path), error);
  }
}

/** Converts a system error for an existing symbol file into the MinidumpError that callers expect. */
function unreadable(name: string, error: unknown): MinidumpError {
  if (error instanceof MinidumpError) return error;
  if (!isSystemError(error)) throw error;
  return new MinidumpError('bad-symbols', `The symbols of ${name} cannot be read (${error.code}).`, { cause: error });
}

/**
 * Identifies the path of the symbol file: two folders can have files of the same name, size and time for a module. A
 * checksum is enough, and `node:crypto` would take longer to load than a walk takes.
 */
function cacheSuffixOf(path: string): string {
  return `.${crc32(resolve(path)).toString(16).padStart(8, '0')}.cache`;
}

/** Opens the existing cache if it is complete and was compiled from the current version of the file. */
function openCurrent({ stats, cachePath }: SourceFile): SymbolCache | undefined {
  if (cachePath === undefined) return undefined;
  try {
    const cache = openSymbolCache(new FileReader(cachePath));
    if (cache.sourceSize === stats.size && cache.sourceTime === sourceTimeOf(stats)) return cache;
    cache.close();
  } catch (error) {
    // A cache that is missing, damaged or of another version is replaced.
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
      // If the folder is not writable, the disk is full or another version writes there too, use memory instead.
      if (!isSystemError(error) && !isBadCache(error)) throw error;
    }
  }
  return openSymbolCache(new MemoryRangeReader(compileSymbolFileToMemory(path)));
}

function isBadCache(error: unknown): boolean {
  return error instanceof MinidumpError && error.code === 'bad-cache';
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

type ReopeningSymbolsOptions = {
  /** Opens the cache. If `recompile` is true, compiles it again even if it exists. */
  readonly open: (recompile: boolean) => SymbolCache;
  /** Called before each lookup, so that the owner can track recent use. */
  readonly onUse: (symbols: ReopeningSymbols) => void;
};

/** The symbols of a module whose cache can be closed to save memory. Reopens it on demand; compiles it again if damaged. */
class ReopeningSymbols implements ModuleSymbols {
  readonly #options: ReopeningSymbolsOptions;
  #cache: SymbolCache | undefined;

  /** Opens the cache immediately, and throws if that fails. */
  constructor(options: ReopeningSymbolsOptions) {
    this.#options = options;
    this.#cache = options.open(false);
    options.onUse(this);
  }

  placeAt(offset: number): CodePlace | undefined {
    return this.#lookUp((cache) => cache.placeAt(offset));
  }

  cfiAt(offset: number): CfiRules | undefined {
    return this.#lookUp((cache) => cache.cfiAt(offset));
  }

  stackWinAt(offset: number): StackWin | undefined {
    return this.#lookUp((cache) => cache.stackWinAt(offset));
  }

  /** Closes the cache until the next lookup. */
  release(): void {
    this.#cache?.close();
    this.#cache = undefined;
  }

  #lookUp<T>(query: (cache: SymbolCache) => T): T {
    this.#cache ??= this.#options.open(false);
    this.#options.onUse(this);
    try {
      return query(this.#cache);
    } catch (error) {
      if (!(error instanceof MinidumpError) || error.code !== 'bad-cache') throw error;
    }
    // A page is verified when it is read, so damage can be found long after the cache was opened.
    this.release();
    this.#cache = this.#options.open(true);
    return query(this.#cache);
  }
}
