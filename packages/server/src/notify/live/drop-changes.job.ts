// Deletes old changes of games every hour.
import type { Context } from '../../context.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { forgetChanges } from '../../request/game-changes.sql.ts';

export const dropChangesJob = defineJob('live:drop-changes', { attempts: 3, cron: '23 * * * *' }, dropChanges);

export function dropChanges({ db }: Context): Promise<void> {
  return forgetChanges(db);
}
