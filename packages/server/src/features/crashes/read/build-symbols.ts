// Lists the symbols that the newest crash reports of a build were missing.
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/crash-stacks';
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { type Db, onlyRow } from '../../../kernel/database/db.ts';
import type { Call } from '../../../request/call.ts';
import { findBuild } from '../../builds/builds.ts';
import { requireMember } from '../../games/games.ts';
import { explainMissing } from './missing-symbols.ts';

/** A player's machine may have hundreds of modules. The most frequent ones matter. */
const MAX_MODULES = 50;

export async function listMissingSymbols(
  ctx: Context,
  { caller, input: { uid, build_id } }: Call<typeof contract.listMissingSymbols>,
): Promise<OutputOf<typeof contract.listMissingSymbols>> {
  const { game } = await requireMember(ctx, caller, uid);
  const build = await findBuild(ctx.db, game.game_id, build_id);
  if (build === null) throw new ApiError(4006);
  const { reports, missing } = await countMissing(ctx.db, game.game_id, build.build_id);
  const counts = new Map(missing);
  const modules = await explainMissing(ctx, game.game_id, build.build_id, [...counts.keys()]);
  return {
    reports,
    modules: modules.map((module) => ({
      ...module,
      crashes: counts.get(`${module.module}/${module.debug_id}`) ?? 0,
    })),
  };
}

type MissingCounts = { reports: number; missing: [module: string, crashes: number][] };

function countMissing(db: Db, gameId: string, buildId: string): Promise<MissingCounts> {
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
