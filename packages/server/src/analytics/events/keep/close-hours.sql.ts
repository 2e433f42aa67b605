// Closes hours of events, so that what is computed from all events of an hour, such as its file, stays correct.
//
// An event belongs to the hour in which it was received. A process decides that when it lays out a batch, and commits
// a moment later, or minutes later if the database is slow. So the end of an hour alone doesn't mean that all of its
// events are committed. An hour is in one of three states:
//
// - Open: batches are written to it. A transaction that does so calls `closed_event_hour` first (receive/write.sql.ts),
//   which takes a shared advisory lock on the hour and returns null, or the first open hour if the hour is closed.
// - Closing: `event_fence.closed_until` is after it, so no transaction can begin to write to it, but some that began
//   before still hold the shared lock.
// - Closed: no transaction holds the lock, so the hour has all its events, and never gets another one. A batch that was
//   laid out for it is laid out again for the first open hour (`ClosedHourError`).
//
// `closeHours` moves the fence, and then waits for the exclusive lock on each hour that is closing. An hour that no one
// writes to costs nothing, and a writer takes one lock for a batch. The fence follows the slower of two clocks: that of
// the process, and that of the database, which no process with a wrong clock can change. If the database's own clock
// was ahead and went back, the hours that were closed too early are open again after the current one, because otherwise
// all batches would wait for the future.
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { HOUR, MINUTE } from '../../../kernel/clock.ts';
import { type Db, onlyRow, rows, transact } from '../../../kernel/database/db.ts';

/** Gives batches that are being written at the end of an hour time to finish, so that hardly any is laid out again. */
const GRACE = 5 * MINUTE;

/**
 * Closes the hours that ended at least five minutes ago. When it returns, all of their events are committed, and none
 * can be added. Returns the start of the first hour that is not closed.
 */
export async function closeHours({ db, clock }: Context): Promise<Date> {
  const until = new Date(Math.floor((clock.now().getTime() - GRACE) / HOUR) * HOUR);
  const openFrom = await moveFence(db, until);
  await waitForWriters(db, openFrom.getTime() / HOUR);
  return openFrom;
}

/** The first part of the key of an hour's lock, as in the function `closed_event_hour`. The second part is the hour. */
const LOCK = 7_304_511;

const THIS_HOUR = sql`date_trunc('hour', now(), 'UTC')`;

/**
 * Moves the fence to `until`, or to the current hour of the database if that is earlier. The expression is the same as
 * in `closed_event_hour`. Returns the start of the first hour that is not closed.
 */
export async function moveFence(db: Db, until: Date): Promise<Date> {
  const { closed_until } = await onlyRow(
    db,
    sql<{
      closed_until: Date;
    }>`insert into event_fence as existing (closed_until) values (least(${until}::timestamptz, ${THIS_HOUR}))
      on conflict (is_only) do update set
        closed_until = greatest(least(existing.closed_until, ${THIS_HOUR} + interval '1 hour'), excluded.closed_until)
      returning closed_until`,
  );
  return closed_until;
}

/**
 * Waits for the transactions that still write to hours before `hour`, which counts from 1970. A transaction that takes
 * the lock of such an hour later sees that it is closed.
 */
async function waitForWriters(db: Db, hour: number): Promise<void> {
  const busy = await rows(
    db,
    sql<{ hour: number }>`select distinct objid::bigint as hour from pg_locks
      where locktype = 'advisory' and classid = ${LOCK} and objsubid = 2 and objid::bigint < ${hour}
        and database = (select oid from pg_database where datname = current_database())`,
  );
  for (const lock of busy)
    await transact(db, (tx) => rows(tx, sql`select pg_advisory_xact_lock(${LOCK}, ${lock.hour}::integer)`));
}
