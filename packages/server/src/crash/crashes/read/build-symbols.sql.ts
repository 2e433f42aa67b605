// The SQL that counts the symbols that crash reports of a build were missing.
import { LIMITS } from '@chauffeur/contract/limits';
import { sql } from 'kysely';
import { type Db, onlyRow } from '../../../kernel/database/db.ts';

export type MissingCounts = { reports: number; missing: [module: string, crashes: number][] };

/** Reports may be missing the symbols of hundreds of modules; only the most frequent ones are listed. */
const MAX_MODULES = 50;

/** Counts the missing modules in the newest reports of a build. */
export function countMissing(db: Db, gameId: string, buildId: string): Promise<MissingCounts> {
  return onlyRow(
    db,
    sql<MissingCounts>`with newest as materialized (
        select missing_symbols from crash_reports
        where game_id = ${gameId} and build_id = ${buildId} order by report_id desc limit ${LIMITS.missingSymbolReports}
      ), counted as (
        select module, count(*) as crashes from newest, unnest(missing_symbols) as missing (module)
        group by module order by crashes desc, module limit ${MAX_MODULES}
      )
      select (select count(*) from newest) as reports,
        coalesce((select json_agg(json_build_array(module, crashes) order by crashes desc, module) from counted), '[]') as missing`,
  );
}
