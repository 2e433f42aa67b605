// Writes crash reports in batches (group commit), and returns what their senders may do next.
//
// A request adds its report to a queue of this process. When a writer is free, it takes what has queued up, at most 256
// reports, and writes it in one transaction; then all of their requests get a response. An idle server writes a report
// at once, and under load batches grow by themselves, so a report shares the cost of a commit, of the locks on counters
// and of the round trip with hundreds of others. No timer is involved.
//
// A batch is written whole or not at all, and each report has an outcome: written with its files; written without them,
// as the game has reached a daily limit; refused, as its build is unknown or the game has reached its limit of reports;
// or repeated, as the build has a report with the same id of the client. If one report has a value that PostgreSQL
// rejects, the reports are written one by one, and only that one fails.
//
// The transaction also enqueues the jobs for the reports, unless this process holds the jobs for their dumps and
// processes them itself. After an error, a batch may have been committed even so, because the response of the database
// was lost. Held jobs begin nevertheless, as nothing happens for a report that doesn't exist, and files stay for the
// sweep, which deletes those without a report.
import { hash } from 'node:crypto';
import { ApiError, CODES } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { createCrash } from '@chauffeur/contract/operations/crash-reports';
import type { Context } from '../../../context.ts';
import { DAY } from '../../../kernel/clock.ts';
import { shardKeyOf } from '../../../kernel/database/shards.ts';
import { countLimit } from '../../../kernel/limits/rate-limit.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { batchWriter } from '../../../request/batch-writer.ts';
import { type Ids, isAboutBuild, UNKNOWN_BUILD } from '../../../request/client-ids.ts';
import { reserveSlots } from '../../../request/held-jobs.ts';
import { noteRefusal } from '../../../ship/refusals/refusals.ts';
import { storedDebugIds } from '../report/debug-ids.ts';
import { type CrashDetails, sentFieldsOf } from '../report/fields.ts';
import { reportPartitionOf } from '../report/files.ts';
import { processCrashJob } from '../report/jobs.ts';
import type { AcceptedReport, ReportRefusal } from './accept.ts';
import { dailyLimits, secondsLeft } from './daily-limits.ts';
import { addOmissions } from './details.ts';
import { type NewReport, returnUse, type SentEvent, type WriteOutcome, writeReports } from './reports.sql.ts';
import { ATTACHMENT_LIMITS, type StoredAttachment, type StoredReportFile } from './store-file.ts';
import { type CrashFileKind, makeAttachmentToken, makeTokens, uploadsEndOf } from './tokens.ts';

/**
 * What the sender of a report receives. `uploads` is empty if it requested none or the game has reached its daily
 * limit.
 */
export type OpenedReport = {
  reportId: string;
  readToken: string;
  uploads: Uploads;
  /** False if the files of the request were past the game's daily limits and are not part of the report. */
  filesKept: boolean;
};
type Uploads = OutputOf<typeof createCrash>['uploads'];

/** A key that the client repeats with its request, and what it sent; both as the hex of a SHA-256. */
export type Idempotency = { readonly keyHash: string; readonly requestHash: string };

/** A report from a request, complete or with files to be uploaded. */
export type IncomingReport = AcceptedReport & {
  source: NewReport['source'];
  /** Set if files were already stored under this id. The id contains the time of the report. */
  reportId?: string;
  dump?: StoredReportFile | null;
  log?: StoredReportFile | null;
  attachments?: readonly StoredAttachment[];
  event?: SentEvent | null;
  /** Whether `buildId` is that of a release that no build has. */
  isUnregistered?: boolean;
  /** The client's own id, if it cannot be guessed. */
  clientRef?: string | null;
  idempotency?: Idempotency | null;
  failure?: string | null;
};

/**
 * Writes a report durably, and enqueues its job. Throws `unknownClientIds` if the build is not the game's,
 * `limitReached` past the game's daily limit, and RepeatedError.
 */
export async function createReport(ctx: Context, incoming: IncomingReport): Promise<OpenedReport> {
  const report = reportOf(ctx, incoming);
  const { filesGranted } = await writeReport(ctx, report);
  return openedOf(ctx, report, filesGranted);
}

/** The response to the report `reportId`, which was written before with the same content. */
export function reopenReport(
  ctx: Context,
  incoming: IncomingReport,
  { reportId, filesGranted }: { reportId: string; filesGranted: boolean },
): OpenedReport {
  return { ...openedOf(ctx, reportOf(ctx, { ...incoming, reportId }), filesGranted), filesKept: false };
}

/** The tokens of a report are always the same. */
function openedOf(ctx: Context, report: NewReport, filesGranted: boolean): OpenedReport {
  const tokens = makeTokens(ctx, report);
  return {
    reportId: report.reportId,
    readToken: tokens.read,
    uploads: filesGranted ? uploadsOf(ctx, report, tokens) : {},
    filesKept: filesGranted,
  };
}

/** The error for a refused report. Counts it by rule, and by the `ids` that the client sent if they are the reason. */
export function refuseReport(
  ctx: Context,
  refusal: ReportRefusal & { data?: { retry_after: number } },
  ids: Ids,
): ApiError {
  const { rule, code, message, data } = refusal;
  if (isAboutBuild(refusal)) noteRefusal(ctx, ids, 'report', 1);
  ctx.metrics.crashRefusals.inc({ rule });
  return new ApiError(code, message, data && { data });
}

/** SHA-256 of a client's own id, as hex. Case does not matter. */
export function hashOfClientRef(clientRef: string): string {
  return hash('sha256', clientRef.toLowerCase());
}

function reportOf(ctx: Context, incoming: IncomingReport): NewReport {
  const { gameId, buildId, details, source, clientRef, idempotency } = incoming;
  const receivedAt = ctx.clock.now();
  const announced = announcedAttachments(details.attachments ?? []);
  return {
    gameId,
    buildId,
    isUnregistered: incoming.isUnregistered ?? false,
    source,
    receivedAt,
    reportId: incoming.reportId ?? newId(receivedAt.getTime()),
    sent: sentFieldsOf(details),
    debugIds: storedDebugIds(details.debug_ids),
    metadata: addOmissions(details.metadata ?? {}, announced.omission === null ? [] : [announced.omission]),
    clientRefHash: idempotency?.keyHash ?? (clientRef == null ? null : hashOfClientRef(clientRef)),
    requestHash: idempotency?.requestHash ?? null,
    dump: incoming.dump ?? null,
    log: incoming.log ?? null,
    event: incoming.event ?? null,
    attachments: incoming.attachments ?? [],
    wants: { dump: details.has_dump ?? false, log: details.has_log ?? false, attachments: announced.names },
    failure: incoming.failure ?? null,
  };
}

/** A report with the same client's id that arrives later is a new report. */
export const REPEATED_WITHIN = DAY;

/** There is a report with the same client's id or key, which was written at the same time or shortly before. */
export class RepeatedError extends Error {
  override readonly name = 'RepeatedError';
}

const writeReport = batchWriter<NewReport, { filesGranted: boolean }>({
  queue: 'crash_reports',
  // Measured: with larger batches all senders wait at once; with smaller ones each report costs more.
  maxBatch: 256,
  // Shards are written at the same time.
  writers: 3,
  // Measured: with several writers PostgreSQL spends a quarter more on each report, and competes for CPU with request
  // handling.
  writersPerKey: 1,
  maxWaiting: 5000,
  partitionOf: reportPartitionOf,
  keyOf: ({ db }, { gameId }) => shardKeyOf(db, [gameId]),
  write: writeBatch,
});

async function writeBatch(
  ctx: Context,
  reports: readonly NewReport[],
): Promise<({ filesGranted: boolean } | ApiError | RepeatedError)[]> {
  const limits = dailyLimits(ctx);
  const namesSince = new Date(ctx.clock.now().getTime() - REPEATED_WITHIN);
  const outcomes = await writeAndProcess(ctx, reports, (holder) =>
    writeReports(ctx.db, reports, limits, { namesSince, holder }),
  );
  const counted = reports.map((report, index) => ({ report, outcome: outcomes[index]! }));
  await returnUse(
    ctx.db,
    counted.filter(({ outcome }) => outcome === 'without_files' || outcome === 'repeated'),
    limits.day,
  );
  const written = reports.filter((_, index) => outcomes[index] === 'with_files' || outcomes[index] === 'without_files');
  for (const [source, { length }] of Map.groupBy(written, ({ source }) => source))
    ctx.metrics.crashReports.inc({ source }, length);
  for (const [index, outcome] of outcomes.entries()) countLimits(ctx, outcome, reports[index]!);
  return outcomes.map((outcome, index) => {
    const { gameId: appId, buildId } = reports[index]!;
    if (outcome === 'unknown_build') return refuseReport(ctx, UNKNOWN_BUILD, { appId, buildId });
    if (outcome === 'over_limit') return refuseReport(ctx, overLimit(ctx), { appId, buildId });
    if (outcome === 'repeated') return new RepeatedError("the build has a report with this client's id");
    return { filesGranted: outcome === 'with_files' };
  });
}

/** Writes reports with `write`, and processes their dumps in this process if it has slots for them. */
async function writeAndProcess(
  ctx: Context,
  reports: readonly NewReport[],
  write: (holder: number | null) => Promise<WriteOutcome[]>,
): Promise<WriteOutcome[]> {
  const dumps = reports.filter(({ dump }) => dump !== null).length;
  const slots = dumps === 0 ? null : reserveSlots(ctx, processCrashJob, dumps);
  let outcomes: WriteOutcome[] | undefined;
  try {
    outcomes = await write(slots?.processNo ?? null);
    return outcomes;
  } finally {
    // After an error, they may have been written. For a report that doesn't exist, nothing happens.
    const written = reports.filter(
      ({ dump }, index) => dump !== null && (outcomes === undefined || outcomes[index] === 'with_files'),
    );
    slots?.begin(written.map(({ gameId, reportId }) => ({ gameId, reportId })));
  }
}

function countLimits(ctx: Context, outcome: WriteOutcome, { dump, log, attachments, wants }: NewReport): void {
  if (outcome === 'unknown_build' || outcome === 'repeated') return;
  countLimit(ctx.metrics, 'crash_reports', outcome !== 'over_limit');
  const hasFiles =
    dump !== null || log !== null || wants.dump || wants.log || attachments.length > 0 || wants.attachments.length > 0;
  if (outcome !== 'over_limit' && hasFiles) countLimit(ctx.metrics, 'crash_files', outcome === 'with_files');
}

function overLimit(ctx: Context): ReportRefusal & { data: { retry_after: number } } {
  const seconds = secondsLeft(ctx);
  const message = `This game has reached its limit of ${ctx.config.limitCrashes} crash reports a day. Try again in ${seconds} s.`;
  return { rule: 'daily_limit', code: CODES.limitReached, message, data: { retry_after: seconds } };
}

function uploadsOf(
  ctx: Context,
  { gameId, reportId, wants }: NewReport,
  tokens: Record<CrashFileKind, string>,
): Uploads {
  const expires_at = uploadsEndOf(reportId).toISOString();
  const uploadOf = (token: string, filename: string, max_bytes: number = LIMITS.crashFileBytes) => ({
    url: `${ctx.publicUrl}/api/v1/public/crashes/uploads/${token}`,
    method: 'PUT' as const,
    expires_at,
    max_bytes,
    filename,
  });
  const uploads: Uploads = {};
  if (wants.dump) uploads.dump = uploadOf(tokens.dump, 'dump.dmp');
  if (wants.log) uploads.log = uploadOf(tokens.log, 'log.txt');
  if (wants.attachments.length > 0)
    uploads.attachments = wants.attachments.map((name, attachment) =>
      uploadOf(makeAttachmentToken(ctx, { gameId, reportId, attachment }), name, LIMITS.crashAttachmentBytes),
    );
  return uploads;
}

type Announced = NonNullable<CrashDetails['attachments']>;

/** The first ones that fit the limits. `omission` is a sentence about the others; null if there are none. */
function announcedAttachments(attachments: Announced): { names: string[]; omission: string | null } {
  const names: string[] = [];
  let total = 0;
  for (const { name, size = 0 } of attachments) {
    const fits = size <= LIMITS.crashAttachmentBytes && total + size <= LIMITS.crashAttachmentsBytes;
    if (!fits || names.length === LIMITS.crashAttachments) continue;
    total += size;
    names.push(name);
  }
  const lost = attachments.length - names.length;
  if (lost === 0) return { names, omission: null };
  return { names, omission: `Attachments that were left out: ${lost}. ${ATTACHMENT_LIMITS}` };
}
