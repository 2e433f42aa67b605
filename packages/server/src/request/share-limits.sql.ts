// The SQL of limits that processes share.
import { sql } from 'kysely';
import { type Db, rows } from '../kernel/database/db.ts';

export type SharedCount = { readonly subject: string; readonly used: number };

/** Adds uses, and returns what all processes together have counted in the minute, for each subject. */
export function addCounts(db: Db, minute: Date, counts: readonly SharedCount[]): Promise<SharedCount[]> {
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
