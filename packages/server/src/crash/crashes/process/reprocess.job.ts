// Processes reports again when symbols that they were missing arrive, the newest first.
import type { Context } from '../../../context.ts';
import { type Tx, transact } from '../../../kernel/database/db.ts';
import { addJob, bindJob, defineJob } from '../../../kernel/jobs/jobs.ts';
import { buildsWithSymbols, type SymbolsArrived, symbolsArrivedJob } from '../../symbols/symbols.ts';
import { enqueueProcessing } from '../report/jobs.ts';
import { formatModule } from './excerpt.ts';
import { listMissing, listMissingNames } from './processed.sql.ts';

type Payload = { gameId: string; moduleName: string; before: string };

/** The next batch, if there are more reports than fit one. */
export const reprocessJob = defineJob('crashes:reprocess', { attempts: 6, lane: 'long' }, reprocessMore);

const BATCH = 500;

/** In this many of the newest builds with the symbols, names of their module are searched. */
const BUILDS = 5;

export const reprocessMissingBinding = bindJob(symbolsArrivedJob, reprocessMissing);

/**
 * Runs for `symbolsArrivedJob`. Reports may have been missing the symbols under other names than that of the symbol file.
 * Safe to run twice: a report that is already queued is not queued again.
 */
export async function reprocessMissing(ctx: Context, arrived: SymbolsArrived): Promise<void> {
  const { gameId, debugFile, debugId, codeId = '' } = arrived;
  const builds = await buildsWithSymbols(ctx.db, arrived, BUILDS);
  const names = await listMissingNames(ctx.db, gameId, builds, [debugId, codeId]);
  const module = { debugFile, debugId, codeFile: debugFile, codeId };
  const own = formatModule(module) ?? '';
  for (const moduleName of new Set([own.toLowerCase(), ...names]))
    await transact(ctx.db, (tx) => enqueueBatch(tx, { gameId, moduleName, before: null }));
}

export async function reprocessMore(ctx: Context, payload: Payload): Promise<void> {
  await transact(ctx.db, (tx) => enqueueBatch(tx, payload));
}

/** Enqueues a batch, and the job for the next batch in the same transaction, so no report is left out. */
async function enqueueBatch(
  tx: Tx,
  { gameId, moduleName, before }: { gameId: string; moduleName: string; before: string | null },
): Promise<void> {
  const reportIds = await listMissing(tx, gameId, moduleName, { before, limit: BATCH });
  await enqueueProcessing(tx, gameId, reportIds);
  const oldest = reportIds.at(-1);
  if (reportIds.length === BATCH && oldest !== undefined) {
    await addJob(tx, reprocessJob, { gameId, moduleName, before: oldest });
  }
}
