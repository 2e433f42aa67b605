// Processes reports again when symbols that they were missing arrive, the newest first. A report lists the modules
// without symbols under the names that its dump has for them.
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { type Db, rows, type Tx, transact } from '../../../kernel/database/db.ts';
import { addJob, bindJob, defineJob } from '../../../kernel/jobs/jobs.ts';
import { areOfNoBuild, buildsWithSymbols, type SymbolsArrived, symbolsArrivedJob } from '../../symbols/symbols.ts';
import { enqueueProcessing } from '../report/jobs.ts';
import { formatModule } from './excerpt.ts';

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
  const reportIds = await listMissing(tx, gameId, moduleName, { before, limit: BATCH });
  await enqueueProcessing(tx, gameId, reportIds);
  const oldest = reportIds.at(-1);
  if (reportIds.length === BATCH && oldest !== undefined) {
    await addJob(tx, reprocessJob, { gameId, moduleName, before: oldest });
  }
}

/** Reports of each build that are searched for names of a module. */
const NAMED_REPORTS = 500;

/** A module has a few names. Forged dumps can have any number. */
const MAX_NAMES = 50;

/**
 * The most frequent names under which the newest reports of these builds were missing symbols with one of the ids:
 * `name/id` in lower case. Each report names a module as the player's system does, such as by the APK that contains it.
 */
export async function listMissingNames(
  db: Db,
  gameId: string,
  buildIds: readonly string[],
  ids: readonly string[],
): Promise<string[]> {
  if (buildIds.length === 0) return [];
  const names = await rows(
    db,
    sql<{ name: string }>`select lower(name) as name
      from unnest(${buildIds}::uuid[]) as build (build_id)
      cross join lateral (
        select missing_symbols from crash_reports
        where game_id = ${gameId} and crash_reports.build_id = build.build_id and missing_symbols <> '{}'
        order by report_id desc limit ${NAMED_REPORTS}
      ) newest
      cross join unnest(missing_symbols) as missing (name)
      where substring(lower(name) from '[^/]*$') = any(${ids.map((id) => id.toLowerCase()).filter(Boolean)}::text[])
      group by 1 order by count(*) desc limit ${MAX_NAMES}`,
  );
  return names.map(({ name }) => name);
}

/** The same for the newest reports of the game, whatever their builds, for symbols that belong to none. */
export async function listNamesOfGame(db: Db, gameId: string, ids: readonly string[]): Promise<string[]> {
  const names = await rows(
    db,
    sql<{ name: string }>`select lower(name) as name
      from (
        select missing_symbols from crash_reports
        where game_id = ${gameId} and missing_symbols <> '{}'
        order by report_id desc limit ${NAMED_REPORTS}
      ) newest
      cross join unnest(missing_symbols) as missing (name)
      where substring(lower(name) from '[^/]*$') = any(${ids.map((id) => id.toLowerCase()).filter(Boolean)}::text[])
      group by 1 order by count(*) desc limit ${MAX_NAMES}`,
  );
  return names.map(({ name }) => name);
}

/** The ids of the newest reports before `before` whose walk was missing the module's symbols. */
export async function listMissing(
  db: Db,
  gameId: string,
  moduleName: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<string[]> {
  const missing = await rows(
    db,
    sql<{ report_id: string }>`select report_id from crash_reports
      where game_id = ${gameId} and missing_symbols <> '{}'
        and lower_all(missing_symbols) @> array[lower(${moduleName})]
        and (${before}::uuid is null or report_id < ${before}::uuid)
      order by report_id desc limit ${limit}`,
  );
  return missing.map(({ report_id }) => report_id);
}
