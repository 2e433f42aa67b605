// The SQL that tells a report that came before from one that is new.
import { sql } from 'kysely';
import { type Db, rows, type Tx } from '../../../kernel/db.ts';
import { firstIdAt } from '../../../kernel/ids.ts';

/** A report as its client names it; `hash` is that of the client’s own id, as hex. */
export type NamedReport = { gameId: string; buildId: string; hash: string };

/** Until the end of the transaction nobody else has these names; two who want some of the same wait, and never for each other. */
export async function lockNames(tx: Tx, names: readonly string[]): Promise<void> {
  await rows(
    tx,
    sql`select pg_advisory_xact_lock(key)
      from (select distinct hashtextextended('crash/' || name, 0) as key from unnest(${names}::text[]) as name order by key) as keys`,
  );
}

/** Of each of these the first report that came since then, where there is one. */
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
