// Sums up the counters of past days. While a day lasts, each writer of each process has its own row of a counter, its
// slot, so that no two of them wait for the lock on a row. Afterwards, one row for all slots is enough.
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { utcDayOf } from '../../../kernel/clock.ts';
import type { Db } from '../../../kernel/database/db.ts';
import { rowsOfAllGames, sumOf } from '../../../kernel/database/shards.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';

export const foldSlotsJob = defineJob(
  'events:fold-slots',
  { attempts: 5, cron: '11 0 * * *', lane: 'long' },
  sumPastDays,
);

/** The rows of a transaction, which should be short. */
const BATCH = 10_000;

export async function sumPastDays(ctx: Context): Promise<void> {
  const today = utcDayOf(ctx.clock.now());
  for (const table of SLOT_TABLES) {
    while ((await sumSlots(ctx.db, table, today, BATCH)) >= BATCH);
  }
}

type SlotTable = {
  readonly table: string;
  /** The column with the time, and the other columns of the key. */
  readonly time: string;
  readonly key: readonly string[];
  readonly counts: readonly string[];
};

const SLOT_TABLES: readonly SlotTable[] = [
  {
    table: 'event_device_days',
    time: 'day',
    key: ['game_id', 'build_id'],
    counts: ['devices', 'booted', 'crashed', 'any_crashed', 'active', 'active_crashed'],
  },
  { table: 'event_hours', time: 'hour', key: ['game_id', 'name', 'build_id'], counts: ['count'] },
  { table: 'event_times', time: 'day', key: ['game_id', 'build_id', 'what', 'bucket'], counts: ['count'] },
];

/**
 * Moves rows from before the UTC day `today` into slot 0 and returns how many it moved: fewer than `limit` only if no
 * others are left. Rows that are being changed are skipped.
 */
async function sumSlots(
  db: Db,
  { table, time, key, counts }: SlotTable,
  today: string,
  limit: number,
): Promise<number> {
  const columns = sql.join([...key, time].map((name) => sql.ref(name)));
  const sums = sql.join(counts.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`));
  const added = sql.join(
    counts.map((name) => sql`${sql.ref(name)} = existing.${sql.ref(name)} + excluded.${sql.ref(name)}`),
  );
  const moved = await rowsOfAllGames(
    db,
    sql<{ count: number }>`
      with old as materialized (
        select ctid from ${sql.table(table)}
        where slot <> 0 and ${sql.ref(time)} < ${today}::date::timestamp at time zone 'utc' limit ${limit}::integer for update skip locked
      ), moved_rows as (
        delete from ${sql.table(table)} using old where ${sql.table(table)}.ctid = old.ctid
        returning ${sql.table(table)}.*
      ), summed as (
        insert into ${sql.table(table)} as existing (${columns}, slot, ${sql.join(counts.map((name) => sql.ref(name)))})
        select ${columns}, 0, ${sums} from moved_rows group by ${columns} order by ${columns}
        on conflict (${columns}, slot) do update set ${added}
      )
      select count(*)::integer as count from moved_rows`,
  );
  return sumOf(moved);
}
