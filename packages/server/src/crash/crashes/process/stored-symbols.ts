// Opens the compiled symbols of a dump's modules.
import { MinidumpError } from '@chauffeur/minidump/error';
import { openSymbolCache, type SymbolCache } from '@chauffeur/minidump/symbols/cache/cache';
import { FileReader } from '@chauffeur/minidump/symbols/cache/range-reader';
import { identifyModule } from '@chauffeur/minidump/symbols/module-identity';
import type { ModuleId, ModuleSymbols, SymbolSource } from '@chauffeur/minidump/symbols/module-symbols';
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
  readonly #locations = new Map<string, SymbolLocation>();

  constructor(request: SymbolRequest, reply: SymbolReply) {
    for (const [index, location] of reply.entries())
      if (location !== null) this.#locations.set(moduleKey(request[index]!), location);
  }

  find(module: ModuleId): ModuleSymbols | undefined {
    const location = this.#locations.get(moduleKey(module));
    if (location === undefined) return undefined;
    if ('problem' in location) throw new MinidumpError('bad-symbols', location.problem);
    const cache = openFiles.get(location.path) ?? openSymbolCache(new FileReader(location.path));
    openFiles.delete(location.path);
    openFiles.set(location.path, cache);
    return cache;
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
