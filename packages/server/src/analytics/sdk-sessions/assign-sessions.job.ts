// Moves the sessions of a release to the build that was registered with its version, after its reports.
import type { Context } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import { transact } from '../../kernel/database/db.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import * as sql from './sessions.sql.ts';

export const assignSessionsJob = defineJob(
  'sdk-sessions:assign',
  { attempts: 3, cron: '* * * * *', lane: 'long', queue: 'sdk-sessions:assign' },
  assignSessions,
);

/** A batch is small enough for a short transaction, because new sessions of the game wait for it. */
const BATCH = 1000;
/** A process may know the old id of a release for a few seconds. */
const KEPT = DAY;

/** Safe to run twice, and to repeat after an interruption. */
export async function assignSessions({ db, clock }: Context): Promise<void> {
  for (const release of await sql.listAssigned(db)) {
    for (;;) {
      const moved = await transact(db, async (tx) => {
        if ((await sql.lockGames(tx, [release.game_id])).length === 0) return 0;
        const of = { gameId: release.game_id, buildId: release.place_id };
        const days = await sql.listDaysOfBuild(tx, of.gameId, of.buildId);
        const sessions = await sql.listSessionsOfBuild(tx, { ...of, days }, BATCH);
        await sql.writeChanges(
          tx,
          release.game_id,
          sessions.map((before) => ({ before, after: { ...before, buildId: release.build_id } })),
        );
        // Counts can be older than the sessions that are kept.
        if (sessions.length < BATCH) await sql.moveDays(tx, release);
        return sessions.length;
      });
      if (moved < BATCH) break;
    }
  }
  await sql.deleteAssignedBefore(db, new Date(clock.now().getTime() - KEPT));
}
