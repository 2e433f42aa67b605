// Sums up the counters of past days: one row for all slots, instead of one for each writer of each process.
import type { Context } from '../../../context.ts';
import { utcDayOf } from '../../../kernel/clock.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';
import { SLOT_TABLES, sumSlots } from './fold-slots.sql.ts';

export const foldSlotsJob = defineJob(
  'events:fold-slots',
  { attempts: 5, cron: '11 0 * * *', lane: 'long' },
  sumPastDays,
);

/** Small enough for a short transaction. */
const BATCH = 10_000;

export async function sumPastDays(ctx: Context): Promise<void> {
  const today = utcDayOf(ctx.clock.now());
  for (const table of SLOT_TABLES) {
    while ((await sumSlots(ctx.db, table, today, BATCH)) >= BATCH);
  }
}
