// Processes reports again when symbols that they were missing arrive, the newest first. A report lists the modules
// without symbols under the names that its dump has for them.
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { type Db, rows, type Tx, transact } from '../../../kernel/database/db.ts';
import { addJob, bindJob, defineJob } from '../../../kernel/jobs/jobs.ts';
import { areOfNoBuild, buildsWithSymbols, type SymbolsArrived, symbolsArrivedJob } from '../../symbols/symbols.ts';
import { enqueueProcessing } from '../report/jobs.ts';
import { formatModule } from './excerpt.ts';
import { listMissingNames, listNamesOfGame } from './missing-names.ts';
import { enqueueRetracing } from './retrace.job.ts';

type Payload = { gameId: string; moduleName: string; before: string };

/** The next batch, if there are more reports than fit one. */
export const reprocessJob = defineJob('crashes:reprocess', { attempts: 6, lane: 'long' }, reprocessMore);

const BATCH = 500;

/** The number of newest builds with the symbols in which names of their module are searched. */
const BUILDS = 5;

export const reprocessMissingBinding = bindJob(symbolsArrivedJob, reprocessMissing);

/**
 * Runs for `symbolsArrivedJob`. Reports may have been missing the symbols under other names than that of the symbol
 * file. Safe to run twice: a report that is already queued is not queued again.
 */
export async function reprocessMissing(ctx: Context, arrived: SymbolsArrived): Promise<void> {
  const { gameId, debugFile, debugId, codeId = '' } = arrived;
  const builds = await buildsWithSymbols(ctx.db, arrived, BUILDS);
  const names = await listMissingNames(ctx.db, gameId, builds, [debugId, codeId]);
  if (await areOfNoBuild(ctx.db, arrived)) names.push(...(await listNamesOfGame(ctx.db, gameId, [debugId, codeId])));
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
  const reports = await listMissing(tx, gameId, moduleName, { before, limit: BATCH });
  const reportIds = reports.map(({ report_id }) => report_id);
  const walked = reports.filter(({ is_walked }) => is_walked).map(({ report_id }) => report_id);
  await enqueueProcessing(tx, gameId, walked);
  // Frames of WebAssembly are in a stack that is read like that of a script.
  if (walked.length < reports.length) await enqueueRetracing(tx, gameId, moduleName);
  const oldest = reportIds.at(-1);
  if (reportIds.length === BATCH && oldest !== undefined) {
    await addJob(tx, reprocessJob, { gameId, moduleName, before: oldest });
  }
}

type MissingRow = { report_id: string; is_walked: boolean };

/** The newest reports before `before` that were missing the module's symbols. */
export async function listMissing(
  db: Db,
  gameId: string,
  moduleName: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<MissingRow[]> {
  return rows(
    db,
    sql<MissingRow>`select report_id, dump_key is not null or stack_key is not null as is_walked from crash_reports
      where game_id = ${gameId} and missing_symbols <> '{}'
        and lower_all(missing_symbols) @> array[lower(${moduleName})]
        and (${before}::uuid is null or report_id < ${before}::uuid)
      order by report_id desc limit ${limit}`,
  );
}
