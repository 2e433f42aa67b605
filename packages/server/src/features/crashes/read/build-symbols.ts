// Which symbols a build should have and does not, by what its newest crash reports lacked.
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/crash-stacks';
import { sql } from 'kysely';
import type { AccountCaller, Context } from '../../../context.ts';
import { type Db, onlyRow } from '../../../kernel/db.ts';
import { findBuild } from '../../builds/builds.ts';
import { requireMember } from '../../games/games.ts';
import { explainMissing } from './missing-symbols.ts';

/** A player’s machine has hundreds of modules, of which the first matter. */
const MOST_MODULES = 50;

export async function listMissingSymbols(
  ctx: Context,
  caller: AccountCaller,
  { uid, build_id }: { uid: string; build_id: string },
): Promise<OutputOf<typeof contract.listMissingSymbols>> {
  const { game } = await requireMember(ctx, caller, uid);
  const build = await findBuild(ctx.db, game.game_id, build_id);
  if (build === null) throw new ApiError(4006);
  const { reports, lacked } = await countLacked(ctx.db, game.game_id, build.build_id);
  const counts = new Map(lacked);
  const modules = await explainMissing(ctx, game.game_id, build.build_id, [...counts.keys()]);
  return {
    reports,
    modules: modules.map((module) => ({
      ...module,
      crashes: counts.get(`${module.module}/${module.debug_id}`) ?? 0,
    })),
  };
}

type Lacked = { reports: number; lacked: [module: string, crashes: number][] };

function countLacked(db: Db, gameId: string, buildId: string): Promise<Lacked> {
  return onlyRow(
    db,
    sql<Lacked>`with newest as materialized (
        select missing_symbols from crash_reports
        where game_id = ${gameId} and build_id = ${buildId} order by report_id desc limit ${LIMITS.missingSymbolReports}
      ), counted as (
        select module, count(*) as crashes from newest, unnest(missing_symbols) as lacked (module)
        group by module order by crashes desc, module limit ${MOST_MODULES}
      )
      select (select count(*) from newest) as reports,
        coalesce((select json_agg(json_build_array(module, crashes) order by crashes desc, module) from counted), '[]') as lacked`,
  );
}
