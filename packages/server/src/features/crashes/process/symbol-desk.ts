// Answers a thread that reads a dump where the symbols of its modules lie, and tells later whether there are more by now.
import type { Context } from '../../../context.ts';
import { BlobMissingError } from '../../../kernel/blobs/store.ts';
import { findSymbols, openCacheFile, type SymbolAnswer } from '../../symbols/symbols.ts';
import { nameModule } from './excerpt.ts';
import type { SymbolPlace, SymbolQuestion, SymbolReply } from './walk-task.ts';

export class SymbolDesk {
  readonly #ctx: Context;
  readonly #gameId: string;
  readonly #buildId: string;
  /** Modules that had no symbols ready when they were asked for. */
  #unready: SymbolQuestion = [];

  constructor(ctx: Context, gameId: string, buildId: string) {
    this.#ctx = ctx;
    this.#gameId = gameId;
    this.#buildId = buildId;
  }

  async answer(question: SymbolQuestion): Promise<SymbolReply> {
    const answers = await this.#find(question);
    this.#unready = question.filter((_, index) => answers[index]!.state !== 'compiled');
    return Promise.all(answers.map((answer) => this.#placeOf(answer)));
  }

  /**
   * Whether symbols of one of these modules (`debug_file/debug_id`) became ready after they were asked for. To be called once the report
   * is stored: those that come from then on find it by themselves, and those that came before it are found here.
   */
  async hasMoreFor(missing: readonly string[]): Promise<boolean> {
    const lacking = this.#unready.filter((module) => missing.includes(nameOf(module)));
    const answers = await this.#find(lacking);
    return answers.some(({ state }) => state === 'compiled');
  }

  #find(modules: SymbolQuestion): Promise<SymbolAnswer[]> {
    return findSymbols(this.#ctx, this.#gameId, this.#buildId, modules);
  }

  async #placeOf(answer: SymbolAnswer): Promise<SymbolPlace | null> {
    if (answer.state === 'unreadable') return { problem: answer.problem };
    if (answer.state !== 'compiled') return null;
    try {
      return { path: await openCacheFile(this.#ctx, answer.cacheKey) };
    } catch (error) {
      // Deleted in this moment, with its symbols.
      if (error instanceof BlobMissingError) return null;
      throw error;
    }
  }
}

function nameOf({ debugFile, debugId }: SymbolQuestion[number]): string {
  return nameModule({ debug_file: debugFile, debug_id: debugId });
}
