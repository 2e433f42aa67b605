// Deletes expired rate-limit counters every hour.
import type { Clock } from '../clock.ts';
import type { Db } from '../database/db.ts';
import { defineJob } from '../jobs/jobs.ts';
import { dropOldCounters } from './rate-limit.ts';

export const dropCountersJob = defineJob(
  'service:drop-counters',
  { attempts: 3, cron: '41 * * * *', lane: 'long', deletesOld: true },
  dropCounters,
);

export async function dropCounters({ db, clock }: { db: Db; clock: Clock }): Promise<void> {
  await dropOldCounters(db, clock);
}
