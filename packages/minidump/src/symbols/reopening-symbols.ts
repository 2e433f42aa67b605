// A module's symbols whose cache can be closed to save memory: reopens it on demand, and compiles it again if damaged.
import { MinidumpError } from '../error.ts';
import type { SymbolCache } from './cache/cache.ts';
import type { CfiRules, CodePlace, ModuleSymbols, StackWin } from './module-symbols.ts';

type ReopeningSymbolsOptions = {
  /** Opens the cache. If `recompile` is true, compiles it again even if it exists. */
  readonly open: (recompile: boolean) => SymbolCache;
  /** Called before each lookup, so that the owner can track recent use. */
  readonly onUse: (symbols: ReopeningSymbols) => void;
};

export class ReopeningSymbols implements ModuleSymbols {
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
