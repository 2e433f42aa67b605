// Decides whether the clock can be trusted to delete what is old. A clock that is a year ahead for a minute, as after a
// wrong answer of a time server, would otherwise make everything old.
import { sql } from 'kysely';
import { type Clock, DAY, HOUR } from '../clock.ts';
import { type Db, onlyRow } from '../database/db.ts';

/** A jump by less makes nothing old that is not nearly so. It is also the time for which a clock has to be steady. */
const JUMP = DAY;
/** The largest difference to expect between the clocks of this process and of the database. */
const MAX_DIFFERENCE = HOUR;

type State = { steady_since: Date; database_now: Date };

/**
 * Records the time, and returns why the clock cannot be trusted: it has `jumped` during the last day, or `differs` from
 * the clock of the database. Null if it can. A time in which nothing called this function, such as an outage of several
 * days, looks like a jump.
 */
export async function findClockProblem(db: Db, clock: Clock): Promise<'jumped' | 'differs' | null> {
  const now = clock.now();
  const state = await onlyRow(
    db,
    sql<State>`insert into clock_state as existing (read_at, steady_since) values (${now}, ${now})
      on conflict (is_only) do update set read_at = excluded.read_at,
        steady_since = case
          when abs(extract(epoch from excluded.read_at - existing.read_at)) * 1000 > ${JUMP}::integer then excluded.read_at
          else existing.steady_since end
      returning steady_since, clock_timestamp() as database_now`,
  );
  if (isFar(now, state.database_now)) return 'differs';
  return now.getTime() - state.steady_since.getTime() < JUMP ? 'jumped' : null;
}

/** Whether the clocks of this process and of the database differ so much that one of them is wrong. */
export async function differsFromDatabase(db: Db, clock: Clock): Promise<boolean> {
  const { at } = await onlyRow(db, sql<{ at: Date }>`select clock_timestamp() as at`);
  return isFar(clock.now(), at);
}

function isFar(one: Date, other: Date): boolean {
  return Math.abs(one.getTime() - other.getTime()) > MAX_DIFFERENCE;
}
