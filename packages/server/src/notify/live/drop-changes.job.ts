// Deletes old changes of games every hour.
import type { Context } from '../../context.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { forgetChanges } from '../../request/game-changes.sql.ts';

export const dropChangesJob = defineJob<object>('live:drop-changes', 3);

export function dropChanges({ db }: Context): Promise<void> {
  return forgetChanges(db);
}
