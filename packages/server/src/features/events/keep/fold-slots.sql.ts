// The SQL that sums up the slots of counters.
import { sql } from 'kysely';
import { type Db, onlyRow } from '../../../kernel/db.ts';

type SlotTable = {
  readonly table: string;
  /** The column that tells the time, and the others of the key. */
  readonly time: string;
  readonly key: readonly string[];
  readonly counts: readonly string[];
};

export const SLOT_TABLES: readonly SlotTable[] = [
  { table: 'event_device_days', time: 'day', key: ['game_id', 'build_id'], counts: ['devices', 'booted', 'crashed'] },
  { table: 'event_hours', time: 'hour', key: ['game_id', 'name', 'build_id'], counts: ['count'] },
  { table: 'event_times', time: 'day', key: ['game_id', 'build_id', 'what', 'bucket'], counts: ['count'] },
];

/**
 * Moves at most so many rows from before the UTC day `today` into slot 0; answers how many. A row that is being changed at this moment is
 * passed over until the next time.
 */
export async function sumSlots(
  db: Db,
  { table, time, key, counts }: SlotTable,
  today: string,
  most: number,
): Promise<number> {
  const columns = sql.join([...key, time].map((name) => sql.ref(name)));
  const sums = sql.join(counts.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`));
  const added = sql.join(
    counts.map((name) => sql`${sql.ref(name)} = known.${sql.ref(name)} + excluded.${sql.ref(name)}`),
  );
  const { moved } = await onlyRow(
    db,
    sql<{ moved: number }>`
      with old as materialized (
        select ctid from ${sql.table(table)}
        where slot <> 0 and ${sql.ref(time)} < ${today}::date::timestamp at time zone 'utc' limit ${most} for update skip locked
      ), taken as (
        delete from ${sql.table(table)} using old where ${sql.table(table)}.ctid = old.ctid
        returning ${sql.table(table)}.*
      ), summed as (
        insert into ${sql.table(table)} as known (${columns}, slot, ${sql.join(counts.map((name) => sql.ref(name)))})
        select ${columns}, 0, ${sums} from taken group by ${columns} order by ${columns}
        on conflict (${columns}, slot) do update set ${added}
      )
      select count(*) as moved from taken`,
  );
  return moved;
}
