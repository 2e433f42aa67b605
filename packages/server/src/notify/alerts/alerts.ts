// Alerts: other features raise them, and members get them in messages, as the rules of the game say.
//
// 1. An alert is *raised* in the transaction that makes it true, so that neither is without the other. It waits as a
//    row of `alerts`, one for each subject: 10,000 reports of a new crash group raise one alert.
// 2. The job `alerts:collect` runs after each transaction that raised something, and once a minute for alerts that had
//    to wait. For each game, it takes the alerts that are *due* (collect.ts): not in quiet hours, digests only at their
//    time, and at most ten messages in an hour. It drops alerts that are muted, or about a subject that was in a
//    message recently, which a row of `alert_marks` says. One transaction deletes the alerts, and inserts a message
//    with a delivery to each member and destination.
// 3. A delivery has a job, `alerts:deliver`, and one of three states (deliver.job.ts):
//    - `waiting`: no attempt has succeeded yet. The job tries again for about a day.
//    - `sent`: the destination has accepted the message. If the process dies before it can note that, the message is
//      sent again under the same id, by which destinations recognize it.
//    - `failed`: the destination has refused the message for a reason that another attempt won't change, or all
//      attempts have failed. A member can reopen the delivery.
//
// The stored message is independent of its format (message.ts). Each attempt formats it for its destination
// (message-formats.ts), so a new version changes messages that are still waiting, and none is lost.
import { LIMITS } from '@chauffeur/contract/limits';
import type { Context } from '../../context.ts';
import { DAY, HOUR } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/database/db.ts';
import { addJob, defineJob } from '../../kernel/jobs/jobs.ts';
import type { Alert } from './alert.ts';
import * as sql from './alerts.sql.ts';
import { collectGame } from './collect.ts';

export type { Alert, CrashFacts, WeeklySummary } from './alert.ts';

export const collectJob = defineJob('alerts:collect', { attempts: 1, cron: '* * * * *' }, collectAlerts);

/** How long messages and their deliveries are kept. */
const MESSAGE_DAYS = 30;

/**
 * Raises alerts, in the transaction that makes them true. Does nothing for a subject that already waits for a message.
 */
export async function raiseAlerts(db: Db, gameId: string, alerts: readonly Alert[]): Promise<void> {
  if (alerts.length === 0) return;
  await sql.insertAlerts(
    db,
    alerts.map((alert) => ({ ...alert, gameId })),
  );
  await addJob(db, collectJob, {}, 'alerts:collect');
}

/** Puts the due alerts of all games into messages, and enqueues their deliveries. */
export async function collectAlerts(ctx: Context): Promise<void> {
  for (const gameId of await sql.gamesWithAlerts(ctx.db)) await collectGame(ctx, gameId);
}

export const expireAlertsJob = defineJob(
  'alerts:expire',
  { attempts: 5, cron: '23 4 * * *', deletesOld: true },
  expireAlerts,
);

/** Deletes what has been kept for its time. */
export async function expireAlerts({ db, clock }: Context): Promise<void> {
  const now = clock.now().getTime();
  await sql.deleteOld(db, {
    messages: new Date(now - MESSAGE_DAYS * DAY),
    marks: new Date(now - LIMITS.alertRepeatHours * HOUR),
  });
}
