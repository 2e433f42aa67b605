// Writes crash reports: gathers those that arrive together into one transaction, and hands out what their senders may do next.
import { hash } from 'node:crypto';
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { createCrash } from '@chauffeur/contract/operations/crashes';
import type { Context } from '../../../context.ts';
import { groupCommit } from '../../../kernel/group-commit.ts';
import { newId } from '../../../kernel/ids.ts';
import { perContext } from '../../../kernel/per-context.ts';
import { ensurePartition, partitionOf } from '../keep/partitions.sql.ts';
import {
  type AcceptedClaim,
  type CrashFacts,
  processorNamed,
  type Refusal,
  systemNamed,
  UNKNOWN_BUILD,
} from './accept.ts';
import { dailyLimits, secondsLeft } from './daily-limits.ts';
import { type NewReport, returnBytes, type StoredFile, type WrittenReport, writeReports } from './reports.sql.ts';
import { type CrashFileKind, makeTokens, uploadsEndOf } from './tokens.ts';

/** What the sender of a report gets: `uploads` is empty past the game’s daily limit, and where it asked for none. */
export type OpenedReport = {
  reportId: string;
  readToken: string;
  uploads: Uploads;
  /** False when the files that came with it were past the game’s daily limits: its row does not name them. */
  filesKept: boolean;
};
type Uploads = OutputOf<typeof createCrash>['uploads'];

/** A report of one request, whole or with its files to come. */
export type Arrival = AcceptedClaim & {
  source: NewReport['source'];
  /** Made beforehand where files were stored under it; its time is the report’s. */
  reportId?: string;
  dump?: StoredFile | null;
  log?: StoredFile | null;
  /** The client’s own id, where it is one that cannot be guessed. */
  clientRef?: string | null;
  failure?: string | null;
};

/** Measured: larger ones have all senders wait at once, smaller ones cost more for each report. */
const BATCH = 256;
/** Measured: batches written side by side cost PostgreSQL a quarter more for each report, and take the processor from who makes them. */
const WRITERS = 1;
const MOST_WAITING = 5000;

/**
 * Opens a report whose dump and log, as `hasDump` and `hasLog` say, are still to come. Throws 4030 when the build is not the
 * game’s, 4290 past its daily limit.
 */
export function openReport(
  ctx: Context,
  { gameId, buildId, ...facts }: { gameId: string; buildId: string } & CrashFacts,
): Promise<OpenedReport> {
  return createReport(ctx, { gameId, buildId, facts, source: 'api' });
}

/** Writes a report durably, with the job that follows. Throws as `openReport`. */
export async function createReport(ctx: Context, arrival: Arrival): Promise<OpenedReport> {
  const report = reportOf(ctx, arrival);
  const { known, accepted, granted } = await writerOf(ctx)(report);
  if (!known) throw refuse(ctx, UNKNOWN_BUILD);
  if (!accepted) throw refuse(ctx, overLimit(ctx));
  const tokens = makeTokens(ctx, report);
  return {
    reportId: report.reportId,
    readToken: tokens.read,
    uploads: granted ? uploadsOf(ctx, report, tokens) : {},
    filesKept: granted,
  };
}

/** The error of a refusal, counted by its rule. */
export function refuse(
  ctx: Context,
  { rule, code, message, data }: Refusal & { data?: { retry_after: number } },
): ApiError {
  ctx.metrics.crashRefusals.inc({ rule });
  return new ApiError(code, message, data && { data });
}

/** SHA-256 of a client’s own id, as hex; case does not matter. */
export function hashOfClientRef(clientRef: string): string {
  return hash('sha256', clientRef.toLowerCase());
}

function reportOf(ctx: Context, arrival: Arrival): NewReport {
  const { gameId, buildId, facts, source, clientRef } = arrival;
  const receivedAt = ctx.clock.now();
  return {
    gameId,
    buildId,
    source,
    receivedAt,
    reportId: arrival.reportId ?? newId(receivedAt.getTime()),
    appName: facts.app_name ?? '',
    appVersion: facts.app_version ?? '',
    engineVersion: facts.engine_version ?? '',
    os: systemNamed(facts.os ?? ''),
    arch: processorNamed(facts.arch ?? ''),
    message: facts.message ?? '',
    userMessage: facts.user_message ?? '',
    anonymous: facts.anonymous ?? false,
    metadata: facts.metadata ?? {},
    clientRefHash: clientRef == null ? null : hashOfClientRef(clientRef),
    dump: arrival.dump ?? null,
    log: arrival.log ?? null,
    wants: { dump: facts.has_dump ?? false, log: facts.has_log ?? false },
    failure: arrival.failure ?? null,
  };
}

const writerOf = perContext((ctx) => {
  const ready = new Set<string>();
  return groupCommit<NewReport, WrittenReport>({
    most: BATCH,
    writers: WRITERS,
    mostWaiting: MOST_WAITING,
    isAboutItems,
    async write(reports) {
      const now = ctx.clock.now();
      // A job makes them ahead; the first report of a new installation comes before it has run.
      const partition = partitionOf(now);
      if (!ready.has(partition)) await ensurePartition(ctx.db, now);
      ready.add(partition);
      const limits = dailyLimits(ctx);
      const written = await writeReports(ctx.db, reports, limits);
      await returnBytes(
        ctx.db,
        reports.filter((_, no) => !written[no]!.granted),
        limits.day,
      );
      countWritten(
        ctx,
        reports.filter((_, no) => written[no]!.accepted),
      );
      return written;
    },
  });
});

function countWritten(ctx: Context, reports: readonly NewReport[]): void {
  for (const [source, of] of Map.groupBy(reports, ({ source }) => source))
    ctx.metrics.crashReports.inc({ source }, of.length);
}

/** Data that a column does not take (class 22), or a game that was deleted in this moment (23). */
function isAboutItems(error: unknown): boolean {
  return /^2[23]/.test((error as { code?: string }).code ?? '');
}

function overLimit(ctx: Context): Refusal & { data: { retry_after: number } } {
  const seconds = secondsLeft(ctx);
  const message = `This game has reached its limit of ${ctx.config.limitCrashes} crash reports a day; try again in ${seconds} s.`;
  return { rule: 'daily_limit', code: 4290, message, data: { retry_after: seconds } };
}

function uploadsOf(ctx: Context, { reportId, wants }: NewReport, tokens: Record<CrashFileKind, string>): Uploads {
  const expires_at = uploadsEndOf(reportId).toISOString();
  const uploadOf = (kind: CrashFileKind, filename: string) => ({
    url: `${ctx.publicUrl}/api/v1/public/crashes/uploads/${tokens[kind]}`,
    method: 'PUT' as const,
    expires_at,
    max_bytes: LIMITS.crashFileBytes,
    filename,
  });
  const uploads: Uploads = {};
  if (wants.dump) uploads.dump = uploadOf('dump', 'dump.dmp');
  if (wants.log) uploads.log = uploadOf('log', 'log.txt');
  return uploads;
}
