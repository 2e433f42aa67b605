// Writes a report with a client's own id or an idempotency key only once: a client that missed the response sends its
// report again, perhaps to another process.
//
// The name of a report is the hash of that id or key. Most reports are new, so this first looks for an earlier report
// with the name, and otherwise writes the report like any other. The statement that writes it also inserts its name,
// which has a unique index: of two copies that are written at once, the second waits for the first and is then repeated
// (`RepeatedError`), and its request gets the response to the first. If the earlier report has been deleted, its name
// is freed, and the report is written after all.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { changed, type Db, rows } from '../../../kernel/database/db.ts';
import { firstIdAt } from '../../../kernel/secrets/ids.ts';
import { batchWriter } from '../../../request/batch-writer.ts';
import {
  createReport,
  hashOfClientRef,
  type Idempotency,
  type IncomingReport,
  type OpenedReport,
  REPEATED_WITHIN,
  RepeatedError,
  reopenReport,
} from './create.ts';
import { NO_BUILD } from './reports.sql.ts';

type NamedIncomingReport = IncomingReport & ({ clientRef: string } | { idempotency: Idempotency });

/**
 * Does the same as `createReport`, unless there is a report from the last 24 hours with the same client's id in the
 * build, or with the same idempotency key in the game. Then returns that report under its own `reportId`, and the files
 * of the new report are unused. Throws `idempotencyKeyReused` for a key that was sent with another request.
 */
export const createOnce = batchWriter<NamedIncomingReport, OpenedReport>({
  queue: 'crash_reports_with_id',
  maxBatch: 100,
  // A statement must not write two reports with the same id.
  writers: 1,
  maxWaiting: 5000,
  write: writeOnce,
});

type Result = OpenedReport | Error;
/** A report of the batch that is being written. */
type Writing = { readonly requestHash: string | null; readonly result: Promise<Result> };

/** Most reports are new: a repetition that nothing was found of is noticed when it is written. */
async function writeOnce(ctx: Context, incoming: readonly NamedIncomingReport[]): Promise<Result[]> {
  const names = incoming.map(nameOf);
  const earlier = new Map((await findReports(ctx, names)).map((report) => [keyOf(report), report]));
  const writing = new Map<string, Writing>();
  return Promise.all(
    incoming.map((report, index): Result | Promise<Result> => {
      const name = names[index]!;
      const key = keyOf(name);
      const existing = earlier.get(key);
      if (existing !== undefined) return reopen(ctx, existing, report);
      const requestHash = requestHashOf(report);
      const first = writing.get(key);
      if (first !== undefined) return first.requestHash === requestHash ? first.result : otherRequest();
      const result = write(ctx, report, name);
      writing.set(key, { requestHash, result });
      return result;
    }),
  );
}

/** Writes the report again if the report that it repeats was deleted. */
async function write(ctx: Context, report: NamedIncomingReport, name: ReportName): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await createReport(ctx, report);
    } catch (error) {
      if (!(error instanceof RepeatedError) || tries === MAX_TRIES) return error as Error;
      const [earlier] = await findReports(ctx, [name]);
      if (earlier !== undefined) return reopen(ctx, earlier, report);
      await freeName(ctx.db, name);
    }
  }
}

const MAX_TRIES = 3;

function findReports(ctx: Context, names: readonly ReportName[]): Promise<EarlierReport[]> {
  return findEarlier(ctx.db, names, new Date(ctx.clock.now().getTime() - REPEATED_WITHIN));
}

function nameOf(report: NamedIncomingReport): ReportName {
  const { gameId, buildId, idempotency, clientRef } = report;
  if (idempotency != null) return { gameId, buildId: NO_BUILD, hash: idempotency.keyHash };
  return { gameId, buildId, hash: hashOfClientRef(clientRef as string) };
}

function requestHashOf({ idempotency }: NamedIncomingReport): string | null {
  return idempotency?.requestHash ?? null;
}

function keyOf({ gameId, buildId, hash }: ReportName): string {
  return `${gameId}/${buildId}/${hash}`;
}

function reopen(ctx: Context, earlier: EarlierReport, report: NamedIncomingReport): Result {
  if (earlier.requestHash !== requestHashOf(report)) return otherRequest();
  ctx.log.info({ game: earlier.gameId, report: earlier.reportId }, 'a crash report was sent again');
  return reopenReport(ctx, report, { reportId: earlier.reportId, filesGranted: earlier.hasUploads });
}

function otherRequest(): ApiError {
  return errors.idempotencyKeyReused();
}

/** A report by its client's own id or idempotency key; `hash` is the hash of either, as hex. */
type ReportName = { gameId: string; buildId: string; hash: string };

/** `requestHash` is null for a client's own id. */
type EarlierReport = ReportName & { reportId: string; requestHash: string | null; hasUploads: boolean };

/** Finds the reports since `since` that have one of these names. */
function findEarlier(db: Db, named: readonly ReportName[], since: Date): Promise<EarlierReport[]> {
  const column = (name: keyof ReportName) => named.map((report) => report[name]);
  return rows(
    db,
    sql<EarlierReport>`
      select game_id as "gameId", known.build_id as "buildId", encode(known.hash, 'hex') as hash,
        report_id as "reportId", encode(request_hash, 'hex') as "requestHash", has_uploads as "hasUploads"
      from unnest(${column('gameId')}::uuid[], ${column('buildId')}::uuid[], ${column('hash')}::text[])
          as named (named_game, named_build, named_hash)
        join crash_report_names known
          on known.hash = decode(named_hash, 'hex') and game_id = named_game and build_id = named_build
        join crash_reports using (game_id, report_id)
      where report_id >= ${firstIdAt(since.getTime())}::uuid`,
  );
}

/**
 * Deletes the name if its report does not exist. It is a separate statement: a statement that waited for the
 * transaction of that report would not see it yet.
 */
async function freeName(db: Db, { gameId, buildId, hash }: ReportName): Promise<void> {
  await changed(
    db,
    sql`delete from crash_report_names known
      where game_id = ${gameId} and build_id = ${buildId} and hash = decode(${hash}, 'hex') and not exists (
        select from crash_reports where crash_reports.game_id = ${gameId} and crash_reports.report_id = known.report_id)`,
  );
}

/** Deletes the names of reports before `before`. */
export async function deleteNames(db: Db, before: Date): Promise<void> {
  await changed(db, sql`delete from crash_report_names where report_id < ${firstIdAt(before.getTime())}::uuid`);
}
