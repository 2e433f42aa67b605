// A module’s symbols that outlive their open cache: opens it again when it was closed, and makes it again when it is damaged.
import { MinidumpError } from '../error.ts';
import type { SymbolCache } from './cache/cache.ts';
import type { CfiRules, CodePlace, ModuleSymbols, StackWin } from './module-symbols.ts';

export type KeptSymbolsOptions = {
  /** Opens the cache; with `again`, makes it new even if there is one. */
  readonly open: (again: boolean) => SymbolCache;
  /** Called before each look-up, so that the owner knows which were used lately. */
  readonly used: (symbols: KeptSymbols) => void;
};

export class KeptSymbols implements ModuleSymbols {
  readonly #options: KeptSymbolsOptions;
  #cache: SymbolCache | undefined;

  /** Opens the cache at once, and throws what that throws. */
  constructor(options: KeptSymbolsOptions) {
    this.#options = options;
    this.#cache = options.open(false);
    options.used(this);
  }

  placeAt(offset: number): CodePlace | undefined {
    return this.#ask((cache) => cache.placeAt(offset));
  }

  cfiAt(offset: number): CfiRules | undefined {
    return this.#ask((cache) => cache.cfiAt(offset));
  }

  stackWinAt(offset: number): StackWin | undefined {
    return this.#ask((cache) => cache.stackWinAt(offset));
  }

  /** Closes the cache until the next look-up. */
  release(): void {
    this.#cache?.close();
    this.#cache = undefined;
  }

  #ask<T>(question: (cache: SymbolCache) => T): T {
    this.#cache ??= this.#options.open(false);
    this.#options.used(this);
    try {
      return question(this.#cache);
    } catch (error) {
      if (!(error instanceof MinidumpError) || error.code !== 'bad-cache') throw error;
    }
    // A page is checked when it is read, so that damage may show long after the cache was opened.
    this.release();
    this.#cache = this.#options.open(true);
    return question(this.#cache);
  }
}
