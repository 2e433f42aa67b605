// Symbols from symbol servers in the database and the blob store: how much may be stored, and who hears of them.
import { errors } from '@chauffeur/contract/errors';
import { MIB } from '@chauffeur/contract/limits';
import { CACHE_VERSION } from '@chauffeur/minidump/symbols/cache/footer';
import { identifyModule } from '@chauffeur/minidump/symbols/module-identity';
import type { Context } from '../../../context.ts';
import { HOUR } from '../../../kernel/clock.ts';
import type { Tx } from '../../../kernel/database/db.ts';
import type { FreeStorage } from '../../../ship/usage/usage.ts';
import { dropSymbolBlobs } from '../store-text.ts';
import { enqueueArrived } from '../symbols.ts';
import type { LookupModule } from './layouts.ts';
import { takeWaitingGames } from './lookups.sql.ts';
import { findSystemModules, findSystemText, shrinkSystemSymbols, sumSystemBytes } from './system-symbols.sql.ts';

/** The folder of their blobs, where others have the id of their game. */
export const SYSTEM = 'system';

/** The symbols of a module that were found under another name of it; null if there are none. */
export async function findSameModule(ctx: Context, module: LookupModule): Promise<string | null> {
  const [found] = await findSystemModules(ctx.db, [identifyModule(module)]);
  return found?.symbol_id ?? null;
}

/** Symbols that were used since are kept. Each use is noted within an hour. */
const IN_USE_MS = 2 * HOUR;

/** What may still be stored. If it is little, symbols that were not used for long are deleted first. */
export async function freeSystemStorage(ctx: Context): Promise<FreeStorage> {
  const maxBytes = ctx.config.symbolSourcesMb * MIB;
  let used = await sumSystemBytes(ctx.db);
  if (used > 0.9 * maxBytes) {
    await shrinkStorage(ctx, 0.8 * maxBytes);
    used = await sumSystemBytes(ctx.db);
  }
  return {
    bytes: Math.max(0, maxBytes - used),
    exceeded: () =>
      errors.storageLimitReached('The symbols of symbol servers would take more than CHAUFFEUR_SYMBOL_SOURCES_MB.'),
  };
}

/** Deletes the rows first, so that no row refers to a missing blob. */
export async function shrinkStorage(ctx: Context, maxBytes: number): Promise<void> {
  const usedBefore = new Date(ctx.clock.now().getTime() - IN_USE_MS);
  await dropSymbolBlobs(ctx, await shrinkSystemSymbols(ctx.db, { maxBytes, usedBefore }));
}

/**
 * Enqueues, for each game that waits for these symbols, the job that processes reports without them again. Returns false
 * if they aren't compiled yet.
 */
export async function announceSystemSymbols(tx: Tx, symbolId: string): Promise<boolean> {
  const text = await findSystemText(tx, symbolId);
  if (text?.cache_version !== CACHE_VERSION) return false;
  for (const waiting of await takeWaitingGames(tx, symbolId)) {
    // The id by which reports list the module.
    const { codeId } = identifyModule({ debugFile: '', debugId: '', codeFile: '', codeId: waiting.code_id });
    await enqueueArrived(tx, waiting.game_id, { ...waiting, debug_id: waiting.debug_id || codeId, code_id: codeId });
  }
  return true;
}
