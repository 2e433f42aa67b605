// Deletes expired rate-limit counters every hour.
import type { Clock } from '../clock.ts';
import type { Db } from '../database/db.ts';
import { defineJob } from '../jobs/jobs.ts';
import { dropOldCounters } from './rate-limit.ts';

export const dropCountersJob = defineJob<object>('service:drop-counters', 3);

export async function dropCounters({ db, clock }: { db: Db; clock: Clock }): Promise<void> {
  await dropOldCounters(db, clock);
}
