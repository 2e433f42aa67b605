// When a module’s symbols arrive: has the dumps of the reports that lacked them read again, the newest first.
import type { Context } from '../../../context.ts';
import { type Tx, transact } from '../../../kernel/db.ts';
import { addJob, defineJob } from '../../../kernel/jobs.ts';
import type { SymbolsArrived } from '../../symbols/symbols.ts';
import { enqueueProcessing } from '../jobs.ts';
import { nameModule } from './excerpt.ts';
import { listLacking } from './walked.sql.ts';

type Payload = { gameId: string; moduleName: string; before: string };

/** The rest of many reports, after a first batch. */
export const reprocessJob = defineJob<Payload>('crashes:reprocess', 6);

const BATCH = 500;

/** Bound to `symbolsArrivedJob`. Safe to run twice: a report that waits for its processing is not enqueued again. */
export async function reprocessLacking(ctx: Context, { gameId, debugFile, debugId }: SymbolsArrived): Promise<void> {
  const moduleName = nameModule({ debug_file: debugFile, debug_id: debugId });
  await transact(ctx.db, (tx) => enqueueBatch(tx, { gameId, moduleName, before: null }));
}

export async function reprocessMore(ctx: Context, payload: Payload): Promise<void> {
  await transact(ctx.db, (tx) => enqueueBatch(tx, payload));
}

/** A batch and the job for the next one in one transaction: however many reports there are, none is left out. */
async function enqueueBatch(
  tx: Tx,
  { gameId, moduleName, before }: { gameId: string; moduleName: string; before: string | null },
): Promise<void> {
  const reportIds = await listLacking(tx, gameId, moduleName, { before, limit: BATCH });
  await enqueueProcessing(tx, gameId, reportIds);
  const oldest = reportIds.at(-1);
  if (reportIds.length === BATCH && oldest !== undefined) {
    await addJob(tx, reprocessJob, { gameId, moduleName, before: oldest });
  }
}
