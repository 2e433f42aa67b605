// Adds up the limits per minute of all processes. Each reports its busy keys once a second in one statement, and learns
// what the others counted. No request waits for it.
import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { SECOND } from '../kernel/clock.ts';
import { type Db, rows } from '../kernel/database/db.ts';
import { deriveKey } from '../kernel/secrets/signed-token.ts';
import { limitConcurrency } from '../kernel/threads/concurrency.ts';
import { currentWindows, type MinuteWindow } from './minute-limit.ts';
import { perContext } from './per-context.ts';

/** The others follow a second later. */
const MAX_KEYS = 5000;

const takeTurnOf = perContext(() => limitConcurrency(1));
const hashKeyOf = perContext(({ secret }) => deriveKey(secret, 'limits'));

/** Reports now and then every second until it is stopped. While the database is away, each process counts for itself. */
export function shareLimits(ctx: Context): { stop(): Promise<void> } {
  let exchange: Promise<void> | undefined;
  let isFailing = false;
  const run = async () => {
    try {
      await exchangeCounts(ctx);
      isFailing = false;
    } catch (err) {
      if (!isFailing) ctx.log.warn({ err }, 'limits per minute are counted in each process alone');
      isFailing = true;
    }
    exchange = undefined;
  };
  const timer = setInterval(() => {
    exchange ??= run();
  }, SECOND);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await exchange;
    },
  };
}

/** Reports the uses that are due, and learns what other processes counted. Waits for an exchange in progress. */
export function exchangeCounts(ctx: Context): Promise<void> {
  return takeTurnOf(ctx)(() => exchangeDue(ctx));
}

async function exchangeDue(ctx: Context): Promise<void> {
  const due = currentWindows(ctx)
    .flatMap(([name, window]) => [...window.due].map((key) => ({ name, window, key })))
    .slice(0, MAX_KEYS);
  const [first] = due;
  if (first === undefined) return;
  const { start } = first.window;
  const bySubject = new Map(due.map((use) => [subjectOf(ctx, start, use.name, use.key), use]));
  const counts = [...bySubject].map(([subject, { window, key }]) => ({ subject, used: report(window, key) }));
  for (const { subject, used } of await addCounts(ctx.db, new Date(start), counts)) {
    const { window, key } = bySubject.get(subject)!;
    const shared = window.shared.get(key);
    // The minute may have ended meanwhile.
    if (shared !== undefined && window.start === start) shared.others = used - shared.reported;
  }
}

/** Returns the uses that were not reported yet. If the report fails, they are not sent again: a limit is then too high, not too low. */
function report(window: MinuteWindow, key: string): number {
  window.due.delete(key);
  const used = window.used.get(key) ?? 0;
  const shared = window.shared.getOrInsertComputed(key, () => ({ reported: 0, others: 0 }));
  const added = used - shared.reported;
  shared.reported = used;
  return added;
}

/** Names a key without saying what it is: only a process with the secret can compute it. */
function subjectOf(ctx: Context, start: number, name: string, key: string): string {
  const hash = createHmac('sha256', hashKeyOf(ctx)).update(JSON.stringify([start, name, key]));
  return hash.digest('base64url').slice(0, 22);
}

type SharedCount = { readonly subject: string; readonly used: number };

/** Adds uses, and returns what all processes together have counted in the minute, for each subject. */
function addCounts(db: Db, minute: Date, counts: readonly SharedCount[]): Promise<SharedCount[]> {
  return rows(
    db,
    // The rows are ordered, so that two processes can't wait for each other.
    sql<SharedCount>`insert into minute_counts (minute, subject, used)
      select ${minute}::timestamptz, subject, used
      from unnest(${counts.map(({ subject }) => subject)}::text[], ${counts.map(({ used }) => used)}::int[]) as added (subject, used)
      order by subject
      on conflict (minute, subject) do update set used = minute_counts.used + excluded.used
      returning subject, used`,
  );
}
