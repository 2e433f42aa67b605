// Finds the symbols that a thread requests while it walks a dump, and later checks whether more have arrived.
import type { Context } from '../../../context.ts';
import { BlobMissingError } from '../../../kernel/blobs/store.ts';
import { findSymbols, openCacheFile, type SymbolAnswer } from '../../symbols/symbols.ts';
import { formatModule } from './excerpt.ts';
import type { SymbolLocation, SymbolReply, SymbolRequest } from './walk-task.ts';

export class SymbolResolver {
  readonly #ctx: Context;
  readonly #gameId: string;
  readonly #buildId: string;
  /** Requested modules that had no compiled symbols. */
  #unready: SymbolRequest = [];

  constructor(ctx: Context, gameId: string, buildId: string) {
    this.#ctx = ctx;
    this.#gameId = gameId;
    this.#buildId = buildId;
  }

  async answer(request: SymbolRequest): Promise<SymbolReply> {
    const answers = await this.#find(request);
    this.#unready = request.filter((_, index) => answers[index]!.state !== 'compiled');
    return Promise.all(answers.map((answer) => this.#locate(answer)));
  }

  /**
   * Whether symbols of one of these modules, in the form of `formatModule`, became ready after the request. Call it after
   * storing the report: if symbols become ready later, `reprocessMissing` finds the stored report.
   */
  async hasMoreFor(missing: readonly string[]): Promise<boolean> {
    const candidates = this.#unready.filter((module) => missing.includes(formatModule(module) ?? ''));
    const answers = await this.#find(candidates);
    return answers.some(({ state }) => state === 'compiled');
  }

  #find(modules: SymbolRequest): Promise<SymbolAnswer[]> {
    return findSymbols(this.#ctx, this.#gameId, this.#buildId, modules);
  }

  async #locate(answer: SymbolAnswer): Promise<SymbolLocation | null> {
    if (answer.state === 'unreadable') return { problem: answer.problem };
    if (answer.state !== 'compiled') return null;
    try {
      return { path: await openCacheFile(this.#ctx, answer.cacheKey) };
    } catch (error) {
      // The symbols were deleted a moment ago.
      if (error instanceof BlobMissingError) return null;
      throw error;
    }
  }
}
