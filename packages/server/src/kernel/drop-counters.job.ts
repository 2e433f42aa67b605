// Drops, once an hour, the counters of rate limits whose window is over.
import type { Context } from '../context.ts';
import { defineJob } from './jobs.ts';
import { dropOldCounters } from './rate-limit.ts';

export const dropCountersJob = defineJob<object>('service:drop-counters', 3);

export async function dropCounters(ctx: Context): Promise<void> {
  await dropOldCounters(ctx.db, ctx.clock);
}
