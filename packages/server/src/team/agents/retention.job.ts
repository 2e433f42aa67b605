// Deletes old agent activity, ended keys and connections, and programs that never connected.
import type { Context } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { firstIdAt } from '../../kernel/secrets/ids.ts';
import { forgetCalls } from './calls.sql.ts';
import { forgetConnections } from './connections.sql.ts';
import { forgetKeys } from './keys.sql.ts';

export const agentRetentionJob = defineJob(
  'agents:retention',
  { attempts: 5, cron: '53 3 * * *', lane: 'long', deletesOld: true },
  forgetAgents,
);

/** How long ended keys and connections stay listed. */
const ENDED_DAYS = 30;
/** Few enough for a short transaction. */
const BATCH_SIZE = 10_000;

export async function forgetAgents(ctx: Context): Promise<void> {
  const now = ctx.clock.now().getTime();
  const ended = new Date(now - ENDED_DAYS * DAY);
  await forgetKeys(ctx.db, ended);
  await forgetConnections(ctx.db, ended);
  const { agentCallDays } = ctx.config;
  if (agentCallDays === 0) return;
  const before = firstIdAt(now - agentCallDays * DAY);
  while ((await forgetCalls(ctx.db, before, BATCH_SIZE)) === BATCH_SIZE);
}
