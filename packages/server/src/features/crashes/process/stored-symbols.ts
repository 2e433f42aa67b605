// The symbols of one dump’s modules, from files with compiled symbols.
import { MinidumpError } from '@chauffeur/minidump/error';
import { openSymbolCache, type SymbolCache } from '@chauffeur/minidump/symbols/cache/cache';
import { FileReader } from '@chauffeur/minidump/symbols/cache/range-reader';
import type { ModuleId, ModuleSymbols, SymbolSource } from '@chauffeur/minidump/symbols/module-symbols';
import type { SymbolPlace, SymbolQuestion, SymbolReply } from './walk-task.ts';

type Wanted = SymbolQuestion[number];

export class StoredSymbols implements SymbolSource {
  readonly #places = new Map<string, SymbolPlace>();
  readonly #open = new Map<string, SymbolCache>();

  /** `reply` is what was answered to `question`. */
  constructor(question: SymbolQuestion, reply: SymbolReply) {
    for (const [index, place] of reply.entries()) if (place !== null) this.#places.set(keyOf(question[index]!), place);
  }

  find(module: ModuleId): ModuleSymbols | undefined {
    const key = keyOf(module);
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    if ('problem' in place) throw new MinidumpError('bad-symbols', place.problem);
    const cache = this.#open.get(key) ?? openSymbolCache(new FileReader(place.path));
    this.#open.set(key, cache);
    return cache;
  }

  close(): void {
    for (const cache of this.#open.values()) cache.close();
    this.#open.clear();
  }
}

function keyOf({ debugFile, debugId }: Wanted): string {
  return `${debugId}/${debugFile}`;
}
