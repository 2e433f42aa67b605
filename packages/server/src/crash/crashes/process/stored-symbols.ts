// Opens the compiled symbols of a dump's modules.
import { MinidumpError } from '@chauffeur/minidump/error';
import { openSymbolCache, type SymbolCache } from '@chauffeur/minidump/symbols/cache/cache';
import { FileReader } from '@chauffeur/minidump/symbols/cache/range-reader';
import { identifyModule } from '@chauffeur/minidump/symbols/module-identity';
import type {
  CfiRules,
  CodePlace,
  ModuleId,
  ModuleSymbols,
  StackWin,
  SymbolSource,
} from '@chauffeur/minidump/symbols/module-symbols';
import type { SymbolLocation, SymbolReply, SymbolRequest } from './walk.ts';

/**
 * The files that this thread has open, by path, the most recently used last. The next dump is usually of the same build
 * and reads the same pages. The content of a path never changes.
 */
const openFiles = new Map<string, SymbolCache>();
/**
 * Kept open between dumps. Each takes a megabyte of memory or more, and the disk space of a deleted file until it is
 * closed.
 */
const MAX_OPEN = 16;

export class StoredSymbols implements SymbolSource {
  /** The modules of which `find` had only functions or unwind rules. */
  readonly partial: ModuleId[] = [];
  readonly #locations = new Map<string, SymbolLocation>();

  constructor(request: SymbolRequest, reply: SymbolReply) {
    for (const [index, location] of reply.entries())
      if (location !== null) this.#locations.set(moduleKey(request[index]!), location);
  }

  find(module: ModuleId): ModuleSymbols | undefined {
    const location = this.#locations.get(moduleKey(module));
    if (location === undefined) return undefined;
    if ('problem' in location) throw new MinidumpError('bad-symbols', location.problem);
    if (location.isPartial) this.partial.push(module);
    const cache = openCache(location.path);
    return location.unwindPath === undefined ? cache : new CombinedSymbols(cache, openCache(location.unwindPath));
  }

  /** Closes all files but the most recently used. Call it after the walk. */
  close(): void {
    for (const [path, cache] of openFiles) {
      if (openFiles.size <= MAX_OPEN) return;
      openFiles.delete(path);
      cache.close();
    }
  }
}

function openCache(path: string): SymbolCache {
  const cache = openFiles.get(path) ?? openSymbolCache(new FileReader(path));
  openFiles.delete(path);
  openFiles.set(path, cache);
  return cache;
}

/** Two files of one module: one names its code, the other has more unwind rules. */
class CombinedSymbols implements ModuleSymbols {
  readonly #named: ModuleSymbols;
  readonly #unwinding: ModuleSymbols;

  constructor(named: ModuleSymbols, unwinding: ModuleSymbols) {
    this.#named = named;
    this.#unwinding = unwinding;
  }

  placeAt(offset: number): CodePlace | undefined {
    return this.#named.placeAt(offset) ?? this.#unwinding.placeAt(offset);
  }

  cfiAt(offset: number): CfiRules | undefined {
    return this.#unwinding.cfiAt(offset) ?? this.#named.cfiAt(offset);
  }

  stackWinAt(offset: number): StackWin | undefined {
    return this.#unwinding.stackWinAt(offset) ?? this.#named.stackWinAt(offset);
  }
}

/** Modules with the same key have the same symbols. */
export function moduleKey(module: ModuleId): string {
  const { name, debugId, codeId } = identifyModule(module);
  return `${debugId}/${codeId}/${name}`;
}

/** Whether a module can have symbols. */
export function hasId(module: ModuleId): boolean {
  const { debugId, codeId } = identifyModule(module);
  return debugId !== '' || codeId !== '';
}
