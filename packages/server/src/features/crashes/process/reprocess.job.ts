// Processes reports again when symbols that they were missing arrive, the newest first.
import type { Context } from '../../../context.ts';
import { type Tx, transact } from '../../../kernel/database/db.ts';
import { addJob, defineJob } from '../../../kernel/jobs/jobs.ts';
import type { SymbolsArrived } from '../../symbols/symbols.ts';
import { enqueueProcessing } from '../report/jobs.ts';
import { formatModule } from './excerpt.ts';
import { listMissing } from './processed.sql.ts';

type Payload = { gameId: string; moduleName: string; before: string };

/** The next batch, if there are more reports than fit one. */
export const reprocessJob = defineJob<Payload>('crashes:reprocess', 6);

const BATCH = 500;

/** Runs for `symbolsArrivedJob`. Safe to run twice: a report that is already queued is not queued again. */
export async function reprocessMissing(ctx: Context, { gameId, debugFile, debugId }: SymbolsArrived): Promise<void> {
  const moduleName = formatModule({ debug_file: debugFile, debug_id: debugId });
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
