// Sums up what writers counted apart, for days that are over: one row then, where each writer of each process had one.
import type { Context } from '../../../context.ts';
import { utcDayOf } from '../../../kernel/clock.ts';
import { retryConflicts } from '../../../kernel/db.ts';
import { defineJob } from '../../../kernel/jobs.ts';
import { SLOT_TABLES, sumSlots } from './fold-slots.sql.ts';

export const foldSlotsJob = defineJob<object>('events:fold-slots', 5);

/** A transaction that is over in an instant. */
const AT_ONCE = 10_000;

export async function sumPastDays(ctx: Context): Promise<void> {
  const today = utcDayOf(ctx.clock.now());
  for (const table of SLOT_TABLES) {
    while ((await retryConflicts(() => sumSlots(ctx.db, table, today, AT_ONCE))) === AT_ONCE);
  }
}
