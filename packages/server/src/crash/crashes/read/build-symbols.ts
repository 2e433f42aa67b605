// Lists the symbols that the newest crash reports of a build were missing.
import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/crash-stacks';
import { requireMember } from '../../../people/game-access/game-access.ts';
import { handle } from '../../../request/route.ts';
import { findBuild } from '../../../ship/builds/builds.ts';
import { countMissing } from './build-symbols.sql.ts';
import { explainMissing } from './missing-symbols.ts';

export const listMissingSymbols = handle(
  contract.listMissingSymbols,
  async (ctx, { caller, input: { uid, build_id } }) => {
    const { game } = await requireMember(ctx, caller, uid);
    const build = await findBuild(ctx.db, game.game_id, build_id);
    if (build === null) throw errors.unknownBuild();
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
  },
);
