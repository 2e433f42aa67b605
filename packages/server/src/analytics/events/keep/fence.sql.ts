// The SQL that closes hours: no event is written to a closed hour any more.
import { sql } from 'kysely';
import { type Db, onlyRow, rows, transact } from '../../../kernel/database/db.ts';

/** The first part of the key of an hour's lock, as in the function `closed_event_hour`. The second part is the hour. */
const LOCK = 7_304_511;

const THIS_HOUR = sql`date_trunc('hour', now(), 'UTC')`;

/**
 * Closes the hours before `until` that are over by the clock of the database too, which no process with a wrong clock
 * can change. Hours that were closed while that clock was ahead are open again, after the current one, as in
 * `closed_event_hour`. Returns the start of the first hour that is not closed.
 */
export async function closeHours(db: Db, until: Date): Promise<Date> {
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
 * Waits for the transactions that still write to hours (since 1970) before `hour`, which is closed. A transaction that
 * takes the lock of such an hour later sees that it is closed.
 */
export async function waitForWriters(db: Db, hour: number): Promise<void> {
  const busy = await rows(
    db,
    sql<{ hour: number }>`select distinct objid::bigint as hour from pg_locks
      where locktype = 'advisory' and classid = ${LOCK} and objsubid = 2 and objid::bigint < ${hour}
        and database = (select oid from pg_database where datname = current_database())`,
  );
  for (const lock of busy)
    await transact(db, (tx) => rows(tx, sql`select pg_advisory_xact_lock(${LOCK}, ${lock.hour}::integer)`));
}
