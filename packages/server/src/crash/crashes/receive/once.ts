// Writes a report with a client's own id or an idempotency key only once: a client that missed the response sends its
// report again, perhaps to another process.
//
// The name of a report is the hash of that id or key. The statement that writes the report also inserts its name, which
// has a unique index: of two copies that are written at once, the second waits for the first and is then repeated
// (`RepeatedError`), and its request gets the response to the first. Most reports are new, so an earlier report is only
// looked for after that. If it has been deleted, its name is freed, and the report is written after all.
import { ApiError, errors } from '@chauffeur/contract/errors';
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { changed, type Db, row } from '../../../kernel/database/db.ts';
import { firstIdAt } from '../../../kernel/secrets/ids.ts';
import { perContext } from '../../../request/per-context.ts';
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

/** A report that is being written. */
type Writing = { readonly requestHash: string | null; readonly report: Promise<OpenedReport> };

/** The keys are names of reports: a statement must not write two reports with one name. */
const writingOf = perContext(() => new Map<string, Writing>());

/**
 * Does the same as `createReport`, unless there is a report from the last 24 hours with the same client's id in the
 * build, or with the same idempotency key in the game. Then returns that report under its own `reportId`, and the files
 * of the new report are unused. Throws `idempotencyKeyReused` for a key that was sent with another request.
 */
export async function createOnce(ctx: Context, report: NamedIncomingReport): Promise<OpenedReport> {
  const writing = writingOf(ctx);
  const name = nameOf(report);
  const key = keyOf(name);
  const requestHash = requestHashOf(report);
  const first = writing.get(key);
  if (first !== undefined) {
    if (first.requestHash !== requestHash) throw errors.idempotencyKeyReused();
    return await first.report;
  }
  const written = write(ctx, report, name).finally(() => writing.delete(key));
  writing.set(key, { requestHash, report: written });
  return await written;
}

/** Writes the report again if the report that it repeats was deleted. */
async function write(ctx: Context, report: NamedIncomingReport, name: ReportName): Promise<OpenedReport> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await createReport(ctx, report);
    } catch (error) {
      // A repetition is none of the reports that a limit refuses.
      const mayBeRepeated = error instanceof RepeatedError || (error instanceof ApiError && error.status < 500);
      const earlier = mayBeRepeated ? await findReport(ctx, name) : undefined;
      if (earlier !== undefined) return reopen(ctx, earlier, report);
      if (!(error instanceof RepeatedError) || tries === MAX_TRIES) throw error;
      await freeName(ctx.db, name);
    }
  }
}

const MAX_TRIES = 3;

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

function reopen(ctx: Context, earlier: EarlierReport, report: NamedIncomingReport): OpenedReport {
  if (earlier.requestHash !== requestHashOf(report)) throw errors.idempotencyKeyReused();
  ctx.log.info({ game: report.gameId, report: earlier.reportId }, 'a crash report was sent again');
  return reopenReport(ctx, report, { reportId: earlier.reportId, filesGranted: earlier.hasUploads });
}

/** A report by its client's own id or idempotency key; `hash` is the hash of either, as hex. */
type ReportName = { gameId: string; buildId: string; hash: string };

/** `requestHash` is null for a client's own id. */
type EarlierReport = { reportId: string; requestHash: string | null; hasUploads: boolean };

/** Finds the report of the last 24 hours that has this name. */
function findReport({ db, clock }: Context, { gameId, buildId, hash }: ReportName): Promise<EarlierReport | undefined> {
  const since = firstIdAt(clock.now().getTime() - REPEATED_WITHIN);
  return row(
    db,
    sql<EarlierReport>`select report_id as "reportId", encode(request_hash, 'hex') as "requestHash",
        has_uploads as "hasUploads"
      from crash_report_names known join crash_reports using (game_id, report_id)
      where known.game_id = ${gameId} and known.build_id = ${buildId} and known.hash = decode(${hash}, 'hex')
        and report_id >= ${since}::uuid`,
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
