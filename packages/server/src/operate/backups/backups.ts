// The front door of backups: what operators' commands use.
import type { Context } from '../../context.ts';
import { areDeletionsLocked } from '../../kernel/blobs/held-deletions.ts';
import { type LatestRuns, readLatestRuns } from './runs.sql.ts';

/** The newest runs of backups, for monitoring. */
export async function readLatestBackups({ db, clock }: Context): Promise<LatestRuns> {
  return readLatestRuns(db, { isRunning: await areDeletionsLocked(db), now: clock.now() });
}
