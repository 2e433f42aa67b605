// Assigns an unregistered release to a build by hand. New reports get the build at once, and a job moves the others.
import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/dsns';
import { transact } from '../../../kernel/database/db.ts';
import { addJob } from '../../../kernel/jobs/jobs.ts';
import { requireMember } from '../../../people/game-access/game-access.ts';
import { auditChanges } from '../../../request/audit.ts';
import { handle } from '../../../request/route.ts';
import { findBuild } from '../../../ship/builds/builds.ts';
import { assignJob, chooseByHand, lockRelease } from '../receive/assign.job.ts';

/** The last call has precedence until the job has moved the reports. */
export const assignRelease = handle(contract.assignRelease, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { release_id: releaseId } = input;
  const build = await findBuild(ctx.db, game.game_id, input.build_id);
  if (build === null) throw errors.unknownBuild('build_id: this game has no such build.');
  await transact(ctx.db, async (tx) => {
    const release = await lockRelease(tx, game.game_id, releaseId);
    if (release === undefined)
      throw errors.notFound('release_id: the game has no such release, or it was assigned to a build already.');
    await chooseByHand(tx, release, build.build_id);
    const { version, os, arch } = build;
    auditChanges({}, { release: release.release, build: { build_id: build.build_id, version, os, arch } });
    await addJob(tx, assignJob, {}, 'sentry:assign-by-hand');
  });
  return { release_id: releaseId.toLowerCase(), build_id: build.build_id };
});
