// Removes events of games that are gone: single ones, which no trigger could in time, and what processes wrote that still knew the game.
import type { Context } from '../../../context.ts';
import { HOUR } from '../../../kernel/clock.ts';
import { defineJob } from '../../../kernel/jobs.ts';
import { listPartitions } from '../../../kernel/partitions.ts';
import * as sweep from './sweep.sql.ts';

export const sweepEventsJob = defineJob<object>('events:sweep', 3);

/** By then no process takes the game for one that is there. */
const SURE_AFTER = HOUR;

/** Statement by statement, a day at a time. A game that went a moment ago is swept again the next time. */
export async function sweepEvents(ctx: Context): Promise<void> {
  const gone = await sweep.gamesGone(ctx.db);
  if (gone.length === 0) return;
  const sure = new Date(ctx.clock.now().getTime() - SURE_AFTER);
  for (const partition of [...(await listPartitions(ctx.db, 'events')), 'events_default'])
    await sweep.deleteEvents(ctx.db, partition, gone);
  for (const gameId of gone) await sweep.forgetGame(ctx.db, gameId, sure);
}
