// Lets go of what agents left behind: calls that were recorded long ago, keys and connections that ended, programs that never connected.
import type { Context } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import { firstIdAt } from '../../kernel/ids.ts';
import { defineJob } from '../../kernel/jobs.ts';
import { forgetCalls } from './calls.sql.ts';
import { forgetConnections } from './connections.sql.ts';
import { forgetKeys } from './keys.sql.ts';

export const agentRetentionJob = defineJob<object>('agents:retention', 5);

/** How long what has ended stays listed. */
const ENDED_DAYS = 30;
/** A transaction that is over in an instant. */
const AT_ONCE = 10_000;

export async function forgetAgents(ctx: Context): Promise<void> {
  const now = ctx.clock.now().getTime();
  const ended = new Date(now - ENDED_DAYS * DAY);
  await forgetKeys(ctx.db, ended);
  await forgetConnections(ctx.db, ended);
  const { agentCallDays } = ctx.config;
  if (agentCallDays === 0) return;
  const before = firstIdAt(now - agentCallDays * DAY);
  while ((await forgetCalls(ctx.db, before, AT_ONCE)) === AT_ONCE);
}
