// Whether statements wait for locks, for tests of what happens meanwhile.
import { sql } from 'kysely';
import { type Db, rows } from '../../src/kernel/database/db.ts';
import { ON_CITUS } from './citus.ts';

/** Whether a statement in this database waits for another transaction, on any server of a cluster. */
export async function isLockAwaited(db: Db): Promise<boolean> {
  const activity = sql.table(ON_CITUS ? 'citus_stat_activity' : 'pg_stat_activity');
  const waiting = await rows(
    db,
    sql`select from ${activity} where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return waiting.length > 0;
}
