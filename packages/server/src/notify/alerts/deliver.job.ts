// Delivers a message to one destination or member, with retries for about a day.
import type { Context } from '../../context.ts';
import type { Db } from '../../kernel/database/db.ts';
import { type Attempt, addJob, defineJob, isJobRunning } from '../../kernel/jobs/jobs.ts';
import { deliver } from './deliver.ts';

type Payload = { gameId: string; deliveryId: string };

/** With delays of e^n seconds, the attempts cover an outage of about a day. */
export const deliverJob = defineJob('alerts:deliver', { attempts: 12, lane: 'outgoing' }, deliverAlert);

/**
 * The priority of deliveries that come after those to recipients that got their last message: servers that never
 * respond may be waiting for others.
 */
const LATER = 10;

/** A delivery has one job at most. Another one replaces it. */
export async function enqueueDelivery(
  db: Db,
  gameId: string,
  deliveryId: string,
  { isReliable }: { isReliable: boolean },
): Promise<void> {
  await addJob(db, deliverJob, { gameId, deliveryId }, keyOf(deliveryId), isReliable ? 0 : LATER);
}

/** Whether the message is being sent at this moment. */
export function isBeingDelivered(db: Db, deliveryId: string): Promise<boolean> {
  return isJobRunning(db, keyOf(deliveryId));
}

function keyOf(deliveryId: string): string {
  return `alerts/${deliveryId}`;
}

/**
 * A message that was delivered just before the process died is delivered again, with the same id, by which its
 * destination knows it.
 */
export async function deliverAlert(ctx: Context, { gameId, deliveryId }: Payload, attempt: Attempt): Promise<void> {
  const result = await deliver(ctx, gameId, deliveryId, { isLast: attempt.last });
  if (result?.state === 'waiting') throw new Error(`a message could not be delivered: ${result.problem}`);
}
