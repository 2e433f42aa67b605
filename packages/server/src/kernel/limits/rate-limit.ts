// Counts uses of a limit in fixed windows in the database, so that all processes share the counters, and counts the
// checks of limits for the metrics.
import { errors } from '@chauffeur/contract/errors';
import { sql } from 'kysely';
import { type Clock, DAY, MINUTE } from '../clock.ts';
import { changed, type Db, onlyRow } from '../database/db.ts';
import { defineJob } from '../jobs/jobs.ts';
import type { LimitName } from '../telemetry/metric-table.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export type LimitCounts = Pick<Metrics, 'limitChecks'>;

/** Counts a check, and returns `isAllowed`. */
export function countLimit(metrics: LimitCounts, limit: LimitName, isAllowed: boolean): boolean {
  metrics.limitChecks.inc({ limit, outcome: isAllowed ? 'allowed' : 'refused' });
  return isAllowed;
}

export type Limit = {
  /** Identifies the counter, and names the limited resource in the message. */
  name:
    | 'uploads'
    | 'chunks'
    | 'media uploads'
    | 'symbol uploads'
    | 'symbol look-ups'
    | 'invitations'
    | 'password confirmations'
    | 'login codes'
    | 'set-up tests'
    | 'mentions and assignments'
    | 'issues'
    | 'commits'
    | 'bug tickets'
    | 'bug tickets without an account'
    | 'feedback'
    | 'replies'
    | 'requests that send email'
    | 'page reports'
    | 'deliveries by hand'
    | 'account exports';
  /** What the limit applies to; a game by default. */
  scope?: 'game' | 'account' | 'IP address';
  /** The maximum number of uses in one window; 0 for no limit. */
  max: number;
  windowSeconds: number;
};

/** The label of each limit in the metrics. */
const LABELS = {
  uploads: 'uploads',
  chunks: 'chunks',
  'media uploads': 'media_uploads',
  'symbol uploads': 'symbol_uploads',
  'symbol look-ups': 'symbol_lookups',
  invitations: 'invitations',
  'password confirmations': 'password_confirmations',
  'login codes': 'login_codes',
  'set-up tests': 'set_up_tests',
  'mentions and assignments': 'mentions',
  issues: 'issues',
  commits: 'commits',
  'bug tickets': 'bugs',
  'bug tickets without an account': 'guest_bugs',
  feedback: 'feedback',
  replies: 'bug_replies',
  'requests that send email': 'mail_requests',
  'page reports': 'page_reports',
  'deliveries by hand': 'manual_deliveries',
  'account exports': 'account_exports',
} as const satisfies Record<Limit['name'], LimitName>;

/**
 * Counts uses by `subject`, the id of a game or account, or what identifies an address. Throws `limitReached` with
 * `retry_after` in seconds when the limit is reached.
 */
export async function countUse(
  { clock, metrics }: { clock: Clock; metrics: LimitCounts },
  db: Db,
  subject: string,
  limit: Limit,
  uses = 1,
): Promise<void> {
  if (limit.max === 0) return;
  const window = limit.windowSeconds * 1000;
  const start = Math.floor(clock.now().getTime() / window) * window;
  const { used } = await onlyRow(
    db,
    sql<{ used: number }>`
      insert into rate_counters (subject, name, window_start, used) values (${subject}, ${limit.name}, ${new Date(start)}, ${uses})
      on conflict (subject, name, window_start) do update set used = rate_counters.used + ${uses} returning used`,
  );
  if (countLimit(metrics, LABELS[limit.name], used <= limit.max)) return;
  const retryAfter = Math.max(1, Math.ceil((start + window - clock.now().getTime()) / 1000));
  throw errors.limitReached(
    `This ${limit.scope ?? 'game'} has reached its limit of ${limit.max} ${limit.name} ${formatWindow(limit.windowSeconds)}. Try again in ${retryAfter} s.`,
    {
      data: { retry_after: retryAfter },
    },
  );
}

function formatWindow(windowSeconds: number): string {
  if (windowSeconds === 3600) return 'an hour';
  return windowSeconds === 86_400 ? 'a day' : `in ${windowSeconds} s`;
}

/** Deletes counters of windows that ended over a day ago, and of minutes that ended over a minute ago. */
export async function dropOldCounters({ db, clock }: { db: Db; clock: Clock }): Promise<void> {
  const now = clock.now().getTime();
  await Promise.all([
    changed(db, sql`delete from rate_counters where window_start < ${new Date(now - 2 * DAY)}`),
    changed(db, sql`delete from minute_counts where minute < ${new Date(now - 2 * MINUTE)}`),
  ]);
}

export const dropCountersJob = defineJob(
  'service:drop-counters',
  { attempts: 3, cron: '41 * * * *', lane: 'long', deletesOld: true },
  dropOldCounters,
);
