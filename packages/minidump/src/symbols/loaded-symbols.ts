// Asks for each module’s symbols once in a walk, and remembers what came of it for the report.
import { MinidumpError } from '../error.ts';
import type { Module } from '../streams/modules.ts';
import type { ModuleSymbols, SymbolSource } from './module-symbols.ts';

/** What came of asking. */
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

  /** The module’s symbols; undefined when there are none, or none that can be read. */
  of(module: Module): ModuleSymbols | undefined {
    let outcome = this.#outcomes.get(module);
    if (outcome === undefined) {
      outcome = this.#load(module);
      this.#outcomes.set(module, outcome);
    }
    return outcome.symbols;
  }

  /** Undefined when nobody asked for the module. */
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

  /** A cache may turn out to be damaged at any look-up: from then on the module has no symbols. */
  #guard(module: Module, symbols: ModuleSymbols): ModuleSymbols {
    const attempt = <T>(ask: () => T | undefined): T | undefined => {
      if (this.#outcomes.get(module)?.state === 'corrupt') return undefined;
      try {
        return ask();
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
