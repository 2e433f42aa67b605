// Asks for the reports that older rules have grouped to be grouped again, and tells how far that is.
import type { Context } from '../../../context.ts';
import { addJob, defineJob, hasJobs } from '../../../kernel/jobs.ts';
import { countOutdated } from '../process/walked.sql.ts';

/** `before` is the report at which the batch before ended; null for the first. */
export type RegroupPayload = { gameId: string; before: string | null };

export const regroupJob = defineJob<RegroupPayload>('crashes:regroup', 6);

/** Enqueues the first batch of each game that has such reports, or of one game. Answers how many there are. */
export async function requestRegrouping({ db }: Pick<Context, 'db'>, gameId: string | null): Promise<number> {
  const games = await countOutdated(db, gameId);
  for (const { game_id } of games) {
    await addJob(db, regroupJob, { gameId: game_id, before: null }, `${regroupJob.task}/${game_id}`);
  }
  return games.reduce((sum, { count }) => sum + count, 0);
}

/**
 * How many reports still are where older rules put them, and whether a job is going to move them: one whose stored stack cannot be read
 * stays where it is.
 */
export async function lookAtRegrouping(
  { db }: Pick<Context, 'db'>,
  gameId: string | null,
): Promise<{ left: number; goesOn: boolean }> {
  // In this order: a batch ends after its reports were moved.
  const goesOn = await hasJobs(db, regroupJob);
  const games = await countOutdated(db, gameId);
  return { left: games.reduce((sum, { count }) => sum + count, 0), goesOn };
}
