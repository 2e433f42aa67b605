// The symbols of one dump’s modules, from files with compiled symbols.
import { MinidumpError } from '@chauffeur/minidump/error';
import { openSymbolCache, type SymbolCache } from '@chauffeur/minidump/symbols/cache/cache';
import { FileReader } from '@chauffeur/minidump/symbols/cache/range-reader';
import type { ModuleId, ModuleSymbols, SymbolSource } from '@chauffeur/minidump/symbols/module-symbols';
import type { SymbolPlace, SymbolQuestion, SymbolReply } from './walk-task.ts';

type Wanted = SymbolQuestion[number];

/**
 * Of this thread, by path, the latest use last. The next dump is mostly of the same build and returns to the same pages. What lies under a path
 * never changes.
 */
const kept = new Map<string, SymbolCache>();
/** Between two dumps; each is an open file, whose room on the disk is free only when it is closed, and a megabyte of memory or more. */
const MOST_KEPT = 16;

export class StoredSymbols implements SymbolSource {
  readonly #places = new Map<string, SymbolPlace>();

  /** `reply` is what was answered to `question`. */
  constructor(question: SymbolQuestion, reply: SymbolReply) {
    for (const [index, place] of reply.entries()) if (place !== null) this.#places.set(keyOf(question[index]!), place);
  }

  find(module: ModuleId): ModuleSymbols | undefined {
    const place = this.#places.get(keyOf(module));
    if (place === undefined) return undefined;
    if ('problem' in place) throw new MinidumpError('bad-symbols', place.problem);
    const cache = kept.get(place.path) ?? openSymbolCache(new FileReader(place.path));
    kept.delete(place.path);
    kept.set(place.path, cache);
    return cache;
  }

  /** Ends the use of what was found. */
  close(): void {
    for (const [path, cache] of kept) {
      if (kept.size <= MOST_KEPT) return;
      kept.delete(path);
      cache.close();
    }
  }
}

function keyOf({ debugFile, debugId }: Wanted): string {
  return `${debugId}/${debugFile}`;
}
