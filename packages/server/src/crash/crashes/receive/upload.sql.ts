// The SQL that adds a file to its report after the report was written, and checks the limits of the day before.
import { LIMITS } from '@chauffeur/contract/limits';
import { type RawBuilder, sql } from 'kysely';
import { changed, type Db, keepPlan, onlyRow, row, transact } from '../../../kernel/database/db.ts';
import { runForm } from '../../../kernel/database/shards.ts';
import { addJob, jobForEachRow } from '../../../kernel/jobs/jobs.ts';
import type { Attachment } from '../report/attachments.ts';
import { previewJob, processCrashJob, readLogJob } from '../report/jobs.ts';
import { type DumpRow, dumpColumns } from '../report/rows.sql.ts';
import type { DailyLimits, UsedToday } from './daily-limits.ts';
import { maxBytes, type StoredFile } from './reports.sql.ts';

/**
 * How much of its limits the game has used today, to be checked before a large body is read. Undefined if the build is
 * not the game's.
 */
export function findUsed(db: Db, gameId: string, buildId: string, day: Date): Promise<UsedToday | undefined> {
  return row(
    db,
    keepPlan(sql<UsedToday>`select ${usedToday(day)} from builds join games using (game_id)
      where game_id = ${gameId} and build_id = ${buildId}`),
  );
}

/**
 * Does the same as `findUsed` for a report that does not have the file yet. Undefined if it already has the file, or if
 * there is no such report.
 */
export function findUsedBeforeUpload(db: Db, ref: FileRef, day: Date): Promise<UsedToday | undefined> {
  const waiting = sql`select report_id from crash_reports
    where game_id = ${ref.gameId}::uuid and report_id = ${ref.reportId}::uuid and ${isMissing(ref)}`;
  const ofGame = sql<UsedToday>`select ${usedToday(day)} from games where game_id = ${ref.gameId}`;
  return runForm(db, {
    plain: () => row(db, keepPlan(sql<UsedToday>`${ofGame} and exists (${waiting})`)),
    distributed: async () => ((await row(db, keepPlan(waiting))) === undefined ? undefined : row(db, keepPlan(ofGame))),
  });
}

/** A file of a report that is uploaded after the report. `attachment` is the number of an attachment. */
export type FileRef = { gameId: string; reportId: string } & (
  | { kind: 'dump' | 'log' }
  | { kind: 'attachment'; attachment: number }
);

/** A condition on the row of the report. */
function isMissing(ref: FileRef): RawBuilder<unknown> {
  if (ref.kind !== 'attachment') return sql`${sql.ref(`${ref.kind}_key`)} is null`;
  return sql`attachments -> ${ref.attachment}::integer -> 'key' = 'null'`;
}

function usedToday(day: Date): RawBuilder<unknown> {
  const counter = (name: string) => sql`coalesce((select used from rate_counters
    where subject = game_id::text and name = ${sql.lit(name)} and window_start = ${day}::timestamptz), 0)`;
  return sql`${counter('crash uploads')} as uploads, ${counter('crash bytes')} as bytes,
    (select crash_mb from game_quotas where game_quotas.game_id = games.game_id) as quota_mb`;
}

/**
 * `taken`: the report already has such a file, or is deleted. `past_limit`: the game has used its bytes of the day.
 * `too_large`: the attachments of the report are too large together.
 */
export type AttachOutcome = 'attached' | 'taken' | 'past_limit' | 'too_large';

/** `row` is the report of an attached dump, if the process `holder` begins to process it. */
export type Attached = { readonly outcome: AttachOutcome; readonly row?: DumpRow };

/**
 * Adds a file to its report, counts its bytes, and enqueues the job for it, all or nothing. The job for a dump is not
 * enqueued if the process `holder` holds it.
 */
export function attachFile(
  db: Db,
  ref: FileRef,
  file: StoredFile & Pick<Attachment, 'kind'>,
  limits: Pick<DailyLimits, 'day' | 'bytes'>,
  holder: number | null = null,
): Promise<Attached> {
  const addition = { ref, file, limits, holder: ref.kind === 'dump' ? holder : null };
  const inSteps = async () => ({ outcome: await attachInSteps(db, addition) });
  return runForm(db, {
    plain: ref.kind === 'attachment' ? inSteps : () => attachAtOnce(db, addition),
    distributed: inSteps,
  });
}

type Addition = {
  readonly ref: FileRef;
  readonly file: StoredFile & Pick<Attachment, 'kind'>;
  readonly limits: Pick<DailyLimits, 'day' | 'bytes'>;
  readonly holder: number | null;
};

/** Uses one statement, which saves five round trips for each dump. */
async function attachAtOnce(db: Db, { ref, file, limits, holder }: Addition): Promise<Attached> {
  const ofReport = sql`game_id = ${ref.gameId}::uuid and report_id = ${ref.reportId}::uuid`;
  const job = jobForEachRow(ref.kind === 'dump' ? processCrashJob : readLogJob, {
    gameId: sql`game_id`,
    reportId: sql`report_id`,
  });
  const { waiting, row } = await onlyRow(
    db,
    keepPlan(sql<{ waiting: number; row: DumpRow | null }>`with waiting as materialized (
        select from crash_reports where ${ofReport} and ${isMissing(ref)} for update
      ), ${countBytes(ref.gameId, file.stored, limits, sql`waiting`)}, attached as (
        update crash_reports set ${changesOf(ref, file, holder)} from counted where ${ofReport}
          returning game_id, ${dumpColumns}
      )
      select (select count(*) from waiting) as waiting, (select to_json(attached) from attached) as row,
        (select count(${job}) from attached where ${holder}::integer is null) as jobs`),
  );
  if (waiting === 0) return { outcome: 'taken' };
  if (row === null) return { outcome: 'past_limit' };
  return holder === null ? { outcome: 'attached' } : { outcome: 'attached', row };
}

/** An attachment is checked against the others of its report. On Citus, a statement cannot write to both servers. */
function attachInSteps(db: Db, { ref, file, limits, holder }: Addition): Promise<AttachOutcome> {
  const { gameId, reportId } = ref;
  const ofReport = sql`game_id = ${gameId} and report_id = ${reportId}`;
  return transact(db, async (tx): Promise<AttachOutcome> => {
    const waiting = await row(
      tx,
      keepPlan(sql<{ attachments: Attachment[] }>`select attachments from crash_reports
        where ${ofReport} and ${isMissing(ref)} for update`),
    );
    if (waiting === undefined) return 'taken';
    const attached = waiting.attachments.reduce((sum, { size }) => sum + size, 0);
    if (ref.kind === 'attachment' && attached + file.size > LIMITS.crashAttachmentsBytes) return 'too_large';
    const counted = await row(tx, keepPlan(sql`with ${countBytes(gameId, file.stored, limits)} select from counted`));
    if (counted === undefined) return 'past_limit';
    await changed(tx, keepPlan(sql`update crash_reports set ${changesOf(ref, file, holder)} where ${ofReport}`));
    if (ref.kind === 'dump' && holder === null) await addJob(tx, processCrashJob, { gameId, reportId });
    if (ref.kind === 'log') await addJob(tx, readLogJob, { gameId, reportId });
    if (ref.kind === 'attachment' && file.kind === 'image') await addJob(tx, previewJob, { gameId, reportId });
    return 'attached';
  });
}

/**
 * CTEs that count bytes of a game, for each row of `of`. `counted` has a row if they are within the limit of the day.
 */
function countBytes(
  gameId: string,
  bytes: number,
  limits: Pick<DailyLimits, 'day' | 'bytes'>,
  of: RawBuilder<unknown> = sql`(select) as one_row`,
): RawBuilder<unknown> {
  return sql`limits as (
      select ${maxBytes(limits.bytes)} as max_bytes
      from (select ${gameId}::uuid as game_id) as game left join game_quotas using (game_id)
    ), counted as (
      insert into rate_counters (subject, name, window_start, used)
      select ${gameId}::text, 'crash bytes', ${limits.day}::timestamptz, ${bytes}::bigint from limits cross join ${of}
      where max_bytes = 0 or ${bytes}::bigint <= max_bytes
      on conflict (subject, name, window_start) do update set used = rate_counters.used + excluded.used
        where (select max_bytes = 0 or rate_counters.used + excluded.used <= max_bytes from limits)
      returning subject
    )`;
}

function changesOf(
  ref: FileRef,
  { key, size, kind }: StoredFile & Pick<Attachment, 'kind'>,
  holder: number | null,
): RawBuilder<unknown> {
  if (ref.kind !== 'attachment') {
    const state = holder === null ? sql.lit('queued') : sql.lit('processing');
    const becomesQueued =
      ref.kind === 'dump' ? sql`, state = ${state}, failure = null, held_by = ${holder}::integer` : sql``;
    return sql`${sql.ref(`${ref.kind}_key`)} = ${key}, ${sql.ref(`${ref.kind}_size`)} = ${size}${becomesQueued}`;
  }
  return sql`attachments = jsonb_set(attachments, array[${String(ref.attachment)}],
    (attachments -> ${ref.attachment}::integer) || ${JSON.stringify({ key, size, kind })}::jsonb)`;
}
