// One crash report for developers: its row, its response, and the errors for what it doesn't have.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { redactUserPaths } from '@chauffeur/contract/home-folders';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { DownloadKind, LinkKind } from '@chauffeur/contract/operations/crash-files';
import type { CrashSource } from '@chauffeur/contract/operations/crash-reports';
import * as contract from '@chauffeur/contract/operations/crash-reports';
import type { Role } from '@chauffeur/contract/roles';
import { sql } from 'kysely';
import type { AccountCaller, Context } from '../../../context.ts';
import { BlobMissingError } from '../../../kernel/blobs/store.ts';
import { type Db, row } from '../../../kernel/database/db.ts';
import { requireMember } from '../../../people/game-access/game-access.ts';
import { handle } from '../../../request/route.ts';
import { NO_TITLE } from '../groups/grouping.ts';
import { readStoredReport } from '../process/excerpt.ts';
import { readEventOf } from '../process/prepare-grouping.ts';
import { resolveEventOf } from '../process/resolve-trace.ts';
import type { EventContent } from '../report/event.ts';
import { type SentFields, sentColumns, shownFieldsOf } from '../report/fields.ts';
import type { FileKeys } from '../report/files.ts';
import type { GroupingRow } from '../report/jobs.ts';
import type { Trace } from '../text/trace.ts';
import { eventOf } from './event.ts';
import { firstLineOf } from './group-response.ts';
import { debugIdsOf, eventWithCsharpLines, withCsharpLines } from './il2cpp-lines.ts';
import { explainMissing } from './missing-symbols.ts';
import type { SummaryRow } from './report-list.sql.ts';
import { textSourcesOf } from './text-sources.ts';

type Summary = OutputOf<typeof contract.listCrashes>['crashes'][number];

type Crash = OutputOf<typeof contract.getCrash>;

export function crashSummaryOf(row: SummaryRow): Summary {
  return {
    crash_id: row.report_id,
    kind: row.kind,
    build_id: row.build_id,
    version: row.version,
    group_id: row.group_id,
    state: row.state,
    title: titleOf(row),
    reason: row.reason,
    os: row.os,
    arch: row.arch,
    device_uid: row.device_uid,
    user_message: redactUserPaths(row.user_message),
    received_at: row.received_at.toISOString(),
  };
}

/** The signature, or the first line of the message. */
function titleOf({ signature, message }: SummaryRow): string {
  if (signature !== null && signature !== '') return signature;
  return firstLineOf(message) || NO_TITLE;
}

export function crashOf(row: ReportRow, missing: Crash['missing_symbols'], event: Crash['event']): Crash {
  return {
    ...crashSummaryOf(row),
    commit: row.commit,
    source: row.source,
    ...shownFieldsOf(row),
    facets: row.facets.map(({ facet, value }) => ({ facet, value: redactUserPaths(value) })),
    metadata: Object.fromEntries(Object.entries(row.metadata).map(([key, value]) => [key, redactValue(value)])),
    crash_address: row.crash_address,
    failure: row.failure,
    processed_at: row.processed_at?.toISOString() ?? null,
    stack: row.frames ?? [],
    missing_symbols: missing,
    available: availableOf(row),
    attachments: row.attachments.map(attachmentOf),
    event,
  };
}

function attachmentOf(
  { name, kind, key, size, image, problem }: ReportRow['attachments'][number],
  index: number,
): Crash['attachments'][number] {
  return {
    attachment: index,
    name,
    kind,
    size,
    has_arrived: key !== null,
    image: image === undefined ? null : { width: image.width, height: image.height },
    problem: problem ?? null,
  };
}

function redactValue<T>(value: T): T | string {
  return typeof value === 'string' ? redactUserPaths(value) : value;
}

/** A stack in the text of a report is downloaded like that of a dump. */
function availableOf({ stack_key, trace, log_key, dump_key }: StoredFiles): DownloadKind[] {
  const keys = { stack: stack_key ?? trace, log: log_key, dump: dump_key };
  return (['stack', 'log', 'dump'] as const).filter((kind) => keys[kind] !== null);
}

export type ReportRow = SummaryRow &
  SentFields & {
    /** The commit of its build. */
    commit: string | null;
    source: CrashSource;
    facets: { facet: string; value: string }[];
    metadata: Record<string, string | number | boolean | null>;
    crash_address: string | null;
    failure: string | null;
    processed_at: Date | null;
    frames: Crash['stack'] | null;
    missing_symbols: string[];
  } & StoredFiles &
  Pick<GroupingRow, 'debug_ids'>;

/** The files of a report, and the trace instead of a stack; sizes are uncompressed, in bytes. */
export type StoredFiles = FileKeys & {
  dump_size: number | null;
  log_size: number | null;
  /** What was read from the texts of a report without a stack. */
  trace: Trace | null;
} & EventContent;

const files = sql.raw('dump_key, dump_size, log_key, log_size, stack_key, event_key, event, attachments, trace');

/**
 * The facets of a row of `crash_reports`. The query refers to that row and to the game, so that Citus asks the shard of
 * the game only: it sends the result of an independent subquery to every worker, which fails while any of them is away.
 */
const facetsOfReport = (gameId: string) => sql`(
  select coalesce(json_agg(json_build_object('facet', facet, 'value', value) order by facet), '[]')
  from crash_impact cross join unnest(value_ids) as counted (id)
    join crash_facet_values named on named.game_id = ${gameId} and named.value_id = counted.id
  where crash_impact.game_id = ${gameId} and crash_impact.game_id = crash_reports.game_id
    and crash_impact.report_id = crash_reports.report_id)`;

export async function findReport(db: Db, gameId: string, reportId: string): Promise<ReportRow | undefined> {
  const report = await row(
    db,
    sql<Omit<ReportRow, 'version' | 'commit'>>`
      select ${files}, report_id, kind, build_id,
        coalesce((select merged_into from crash_groups where crash_groups.game_id = ${gameId}
          and crash_groups.game_id = crash_reports.game_id and crash_groups.group_id = crash_reports.group_id), group_id)
          as group_id, state, signature, reason, received_at, source, ${sentColumns}, metadata, crash_address, failure,
        processed_at, frames,
        missing_symbols, debug_ids, ${facetsOfReport(gameId)} as facets
      from crash_reports where game_id = ${gameId} and report_id = ${reportId}`,
  );
  if (report === undefined) return undefined;
  // If the build were joined, Citus would send it to every worker too.
  const build = await row(
    db,
    sql<{ version: string; commit: string | null }>`
      select build_names.version, commit from build_names left join builds using (game_id, build_id)
      where game_id = ${gameId} and build_id = ${report.build_id}`,
  );
  return { ...report, version: build?.version ?? report.app_version, commit: build?.commit ?? null };
}

export type ReportSession = { device_uid: string | null; session_id: string | null; received_at: Date };

export function findReportSession(db: Db, gameId: string, reportId: string): Promise<ReportSession | undefined> {
  return row(
    db,
    sql<ReportSession>`select device_uid, session_id, received_at from crash_reports
      where game_id = ${gameId} and report_id = ${reportId}`,
  );
}

/** Files with the system, which a trace does not say. */
export type FoundFiles = StoredFiles &
  Pick<ReportRow, 'os' | 'arch' | 'received_at' | 'build_id' | 'app_version' | 'message' | 'metadata'> &
  Pick<GroupingRow, 'debug_ids'> & { game_id: string };

export function findFiles(db: Db, gameId: string, reportId: string): Promise<FoundFiles | undefined> {
  return row(
    db,
    sql<FoundFiles>`select ${files}, os, arch, received_at, build_id, app_version, message, metadata, debug_ids,
        game_id
      from crash_reports
      where game_id = ${gameId} and report_id = ${reportId}`,
  );
}

export const getCrash = handle(contract.getCrash, async (ctx, { caller, input }) => {
  const { game, role } = await requireMember(ctx, caller, input.uid);
  return readCrash(ctx, game.game_id, input.crash_id, role);
});

/** Reads a report as a member with this role sees it. Throws `notFound` if there is no such report. */
export async function readCrash(
  ctx: Context,
  gameId: string,
  reportId: string,
  role: Role,
): Promise<OutputOf<typeof contract.getCrash>> {
  const report = await findReport(ctx.db, gameId, reportId);
  if (report === undefined) throw unknownCrash();
  const event = await readEventOf(ctx, report);
  const origin = { gameId, buildId: report.build_id };
  const resolved = event === null ? null : await resolveEventOf(ctx, gameId, report, event);
  const shown = resolved === null ? null : await eventWithCsharpLines(ctx, origin, resolved.value);
  const missing = [...new Set([...report.missing_symbols, ...(shown?.missing ?? [])])];
  const debugIds = () => debugIdsOfStack(ctx, report);
  const placed = report.frames && (await withCsharpLines(ctx, { ...origin, debugIds }, report.frames));
  const linesOf = await textSourcesOf(ctx, gameId, report);
  // The frames of a trace are those of its main exception.
  const frames = placed?.map((frame, index) => {
    const traced = report.trace?.main.frames[index];
    const source = traced === undefined ? null : linesOf(traced);
    return source === null ? frame : { ...frame, source };
  });
  const explained = await explainMissing(ctx, gameId, report.build_id, missing);
  return crashOf({ ...report, frames: frames ?? null }, explained, shown && eventOf(shown.event, role));
}

/** The debug ids of all modules of a walked stack, which are only in its file. */
async function debugIdsOfStack({ blobs }: Context, { stack_key: key }: StoredFiles): Promise<string[]> {
  if (key === null) return [];
  try {
    return debugIdsOf(await readStoredReport(blobs, key));
  } catch (error) {
    if (error instanceof BlobMissingError) return [];
    throw error;
  }
}

export function unknownCrash(): ApiError {
  return errors.notFound('crash_id: this game has no such report; it may have been deleted or have expired.');
}

export function noSuchFile(kind: LinkKind, cause?: unknown): ApiError {
  return errors.noSuchCrashFile(`kind: the report has no ${kind} to download. See which files it lists as available.`, {
    cause,
  });
}

type CrashInput = { uid: string; crash_id: string };

/** Throws `notFound` unless the caller is a member of the game and the report exists. */
export async function requireFiles(ctx: Context, caller: AccountCaller, input: CrashInput): Promise<FoundFiles> {
  const { game } = await requireMember(ctx, caller, input.uid);
  const files = await findFiles(ctx.db, game.game_id, input.crash_id);
  if (files === undefined) throw unknownCrash();
  return files;
}

/** The file may have been deleted or replaced after its row was read. */
export function refuseReading(kind: 'stack' | 'log', error: unknown): never {
  if (error instanceof BlobMissingError) throw noSuchFile(kind, error);
  throw error;
}
