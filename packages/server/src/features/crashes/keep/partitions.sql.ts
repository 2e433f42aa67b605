// The partitions of crash_reports: one for each month, cut by the time that a report’s id begins with.
import { sql } from 'kysely';
import { type Db, row, rows, type Tx, transact } from '../../../kernel/db.ts';
import { firstIdAt } from '../../../kernel/ids.ts';

/** Any number that no other lock of ours has: it guards the making of partitions. */
const LOCK = 7_304_511_002;

/** `crash_reports_2026_11` for the month (UTC) of `time`. */
export function partitionOf(time: Date): string {
  return `crash_reports_${time.toISOString().slice(0, 7).replace('-', '_')}`;
}

/** The first UUIDv7 (RFC 9562, section 5.7) that the month of `time`, or one `months` later, can have. */
export function firstIdOf(time: Date, months = 0): string {
  return firstIdAt(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + months));
}

/** Makes the partition of the month of `time` unless it is there. Rows of it that the default partition took in move over. */
export async function ensurePartition(db: Db, time: Date): Promise<void> {
  const name = partitionOf(time);
  if (await exists(db, name)) return;
  const [from, to] = [firstIdOf(time), firstIdOf(time, 1)];
  await transact(db, async (tx) => {
    await rows(tx, sql`select pg_advisory_xact_lock(${LOCK})`);
    if (await exists(tx, name)) return;
    // Attached when it is whole: making it in place would lock the table that reports are being written to for longer.
    await rows(tx, sql`create table ${sql.table(name)} (like crash_reports including all)`);
    await takeIn(tx, name, from, to);
    await rows(
      tx,
      sql`alter table crash_reports attach partition ${sql.table(name)} for values from (${sql.lit(from)}) to (${sql.lit(to)})`,
    );
  });
}

/** Moves what the default partition has of the month: PostgreSQL refuses to attach a partition before. */
async function takeIn(tx: Tx, name: string, from: string, to: string): Promise<void> {
  await rows(tx, sql`lock table crash_reports_default in access exclusive mode`);
  const columns = await rows(
    tx,
    sql<{ name: string }>`select attname as name from pg_attribute
      where attrelid = 'crash_reports'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
  );
  const stored = sql.join(columns.map((column) => sql.ref(column.name)));
  await rows(
    tx,
    sql`with moved as (
        delete from crash_reports_default where report_id >= ${from}::uuid and report_id < ${to}::uuid returning ${stored}
      ) insert into ${sql.table(name)} (${stored}) select ${stored} from moved`,
  );
}

async function exists(db: Db, name: string): Promise<boolean> {
  return (await row(db, sql`select 1 from pg_inherits where inhrelid = to_regclass(${name})`)) !== undefined;
}
