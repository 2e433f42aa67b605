// Loads each module's symbols once per walk, and remembers the outcome for the report.
import { MinidumpError } from '../error.ts';
import type { Module } from '../streams/modules.ts';
import type { ModuleSymbols, SymbolSource } from './module-symbols.ts';

/** The result of loading a module's symbols. */
export type Outcome =
  | { readonly state: 'loaded'; readonly symbols: ModuleSymbols }
  | { readonly state: 'missing'; readonly symbols?: undefined }
  | { readonly state: 'corrupt'; readonly symbols?: undefined; readonly problem: string };

export class LoadedSymbols {
  readonly #source: SymbolSource | undefined;
  readonly #outcomes = new Map<Module, Outcome>();

  constructor(source: SymbolSource | undefined) {
    this.#source = source;
  }

  /** Returns the module's symbols; undefined if they are missing or unreadable. */
  of(module: Module): ModuleSymbols | undefined {
    let outcome = this.#outcomes.get(module);
    if (outcome === undefined) {
      outcome = this.#load(module);
      this.#outcomes.set(module, outcome);
    }
    return outcome.symbols;
  }

  /** Returns the result for a module; undefined if its symbols were not needed. */
  outcome(module: Module): Outcome | undefined {
    return this.#outcomes.get(module);
  }

  #load(module: Module): Outcome {
    try {
      const symbols = this.#source?.find(module);
      return symbols === undefined ? { state: 'missing' } : { state: 'loaded', symbols: this.#guard(module, symbols) };
    } catch (error) {
      return corrupt(error);
    }
  }

  /** Any lookup can find that the cache is damaged. From then on, the module has no symbols. */
  #guard(module: Module, symbols: ModuleSymbols): ModuleSymbols {
    const attempt = <T>(lookUp: () => T | undefined): T | undefined => {
      if (this.#outcomes.get(module)?.state === 'corrupt') return undefined;
      try {
        return lookUp();
      } catch (error) {
        this.#outcomes.set(module, corrupt(error));
        return undefined;
      }
    };
    return {
      placeAt: (offset) => attempt(() => symbols.placeAt(offset)),
      cfiAt: (offset) => attempt(() => symbols.cfiAt(offset)),
      stackWinAt: (offset) => attempt(() => symbols.stackWinAt(offset)),
    };
  }
}

function corrupt(error: unknown): Outcome {
  if (!(error instanceof MinidumpError)) throw error;
  return { state: 'corrupt', problem: error.message };
}
