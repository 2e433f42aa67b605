// Alerts: what happened to a game waits in a table, and is put into messages as the game's rules say. Other features
// raise them.

import { LIMITS } from '@chauffeur/contract/limits';
import type { Context } from '../../context.ts';
import { DAY, HOUR } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/database/db.ts';
import { addJob, defineJob } from '../../kernel/jobs/jobs.ts';
import type { Alert } from './alert.ts';
import * as sql from './alerts.sql.ts';
import { collectGame } from './collect.ts';

export type { Alert, WeeklySummary } from './alert.ts';

export const collectJob = defineJob('alerts:collect', { attempts: 1, cron: '* * * * *' }, collectAlerts);

/** How long messages and their deliveries are kept. */
const MESSAGE_DAYS = 30;

/**
 * Call it in the transaction that makes the alert true, so that neither is without the other. Does nothing about a
 * subject that already waits for a message.
 */
export async function raiseAlerts(db: Db, gameId: string, alerts: readonly Alert[]): Promise<void> {
  if (alerts.length === 0) return;
  await sql.insertAlerts(
    db,
    alerts.map((alert) => ({ ...alert, gameId })),
  );
  await addJob(db, collectJob, {}, 'alerts:collect');
}

/**
 * Puts into messages what is due of all games, and enqueues their deliveries. It runs when something was raised, and once
 * a minute for what waited.
 */
export async function collectAlerts(ctx: Context): Promise<void> {
  for (const gameId of await sql.gamesWithAlerts(ctx.db)) await collectGame(ctx, gameId);
}

export const expireAlertsJob = defineJob(
  'alerts:expire',
  { attempts: 5, cron: '23 4 * * *', deletesOld: true },
  expireAlerts,
);

export async function expireAlerts({ db, clock }: Context): Promise<void> {
  const now = clock.now().getTime();
  await sql.deleteOld(db, {
    messages: new Date(now - MESSAGE_DAYS * DAY),
    marks: new Date(now - LIMITS.alertRepeatHours * HOUR),
  });
}
