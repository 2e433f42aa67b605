// Deletes one report for a developer.
import * as contract from '@chauffeur/contract/operations/crash-reports';
import { requireMember } from '../../../people/game-access/game-access.ts';
import { handle } from '../../../request/route.ts';
import { detachReports, transactGroups } from '../groups/groups.sql.ts';
import { unknownCrash } from '../read/not-found.ts';
import { deleteFiles } from '../report/files.ts';
import { deleteReport } from './delete.sql.ts';

/** Removes the report from its group and its counts, and deletes it with its dump, log and stack. */
export const deleteCrash = handle(contract.deleteCrash, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const files = await transactGroups(ctx.db, async (tx) => {
    await detachReports(tx, game.game_id, [input.crash_id]);
    return deleteReport(tx, game.game_id, input.crash_id);
  });
  if (files === undefined) throw unknownCrash();
  ctx.log.info({ game: game.game_id, crash: input.crash_id, user: caller.user.id }, 'crash report deleted');
  await deleteFiles(ctx, files);
  return { deleted: true };
});
