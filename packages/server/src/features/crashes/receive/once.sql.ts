// The SQL that finds earlier copies of a report by the client's own id.
import { sql } from 'kysely';
import { type Db, rows, type Tx } from '../../../kernel/database/db.ts';
import { firstIdAt } from '../../../kernel/secrets/ids.ts';

/** A report by its client's own id; `hash` is the hash of that id, as hex. */
export type NamedReport = { gameId: string; buildId: string; hash: string };

/** Locks these names until the end of the transaction. The locks are ordered, so two transactions cannot deadlock. */
export async function lockNames(tx: Tx, names: readonly string[]): Promise<void> {
  await rows(
    tx,
    sql`select pg_advisory_xact_lock(key)
      from (select distinct hashtextextended('crash/' || name, 0) as key from unnest(${names}::text[]) as name order by key) as keys`,
  );
}

/** For each of these names, the first report since `since`, if there is one. */
export function findEarlier(
  db: Db,
  named: readonly NamedReport[],
  since: Date,
): Promise<(NamedReport & { reportId: string })[]> {
  const column = (name: keyof NamedReport) => named.map((report) => report[name]);
  return rows(
    db,
    sql<NamedReport & { reportId: string }>`
      select distinct on (game_id, build_id, hash) game_id as "gameId", build_id as "buildId", hash, report_id as "reportId"
      from unnest(${column('gameId')}::uuid[], ${column('buildId')}::uuid[], ${column('hash')}::text[])
          as named (named_game, named_build, hash)
        join crash_reports on client_ref_hash = decode(hash, 'hex') and game_id = named_game and build_id = named_build
      where report_id >= ${firstIdAt(since.getTime())}::uuid
      order by game_id, build_id, hash, report_id`,
  );
}
