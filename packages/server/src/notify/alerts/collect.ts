// Puts the alerts of a game that are due into messages, and enqueues a delivery to each member and destination.

import { ALERT_KINDS } from '@chauffeur/contract/operations/alerts';
import { PAGES } from '@chauffeur/contract/pages';
import type { Context } from '../../context.ts';
import { HOUR, MINUTE } from '../../kernel/clock.ts';
import { type Db, type Tx, transact } from '../../kernel/database/db.ts';
import { oneLine, quote } from '../../kernel/email/html-email.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { listActiveOperators } from '../../people/accounts/accounts.sql.ts';
import { enqueueEmails } from '../../people/emails/emails.ts';
import { findGame, listOwners } from '../../people/game-access/game-access.sql.ts';
import type { Game } from '../../people/game-access/game-access.ts';
import type { Alert, AlertKind, Rule } from './alert.ts';
import { readAlertRules, readSchedule } from './alert-rules.ts';
import * as sql from './alerts.sql.ts';
import { enqueueDelivery } from './deliver.job.ts';
import * as deliveries from './deliveries.sql.ts';
import { type Content, contentOf, type Message, ofKinds, subjectOf } from './message.ts';
import { isQuiet, lastDigest } from './schedule.ts';

/**
 * How many alerts of each kind are taken at once: many that wait for the digest must not delay others. A message only
 * counts the alerts that it has no room for, so a flood of alerts takes a few messages at most.
 */
const MAX_ALERTS = 10_000;
const KINDS: ReadonlySet<AlertKind> = new Set(ALERT_KINDS);
/** A game gets at most this many messages in an hour, in addition to the digest. Further alerts wait. */
const MESSAGES_AN_HOUR = 10;

export async function collectGame(ctx: Context, gameId: string): Promise<void> {
  await transact(ctx.db, async (tx) => {
    if (!(await sql.lockAlerts(tx, gameId))) return;
    const game = await findGame(tx, gameId);
    if (game === null) return;
    const now = ctx.clock.now();
    // Alerts of a kind that only a newer version of the server has wait for it.
    const waiting = (await sql.listWaitingAlerts(tx, gameId, MAX_ALERTS)).filter(({ kind }) => KINDS.has(kind));
    const [rules, schedule] = [await readAlertRules(tx, gameId), await readSchedule(tx, gameId)];
    const [wanted, unwanted] = partition(waiting, (alert) => isWanted(alert, rules[alert.kind], now));
    const digestAt = lastDigest(now, schedule);
    const isDue = ({ kind, happened_at }: sql.WaitingAlert) => rules[kind].send === 'now' || happened_at < digestAt;
    const due = isQuiet(now, schedule) ? [] : wanted.filter(isDue);
    const [digest, others] = partition(due, ({ kind }) => rules[kind].send === 'digest');
    const isFree = others.length > 0 && (await hasRoom(tx, gameId, now));
    if (digest.length > 0) await send(ctx, tx, game, { reason: 'digest', alerts: digest.map(alertOf), now });
    if (isFree) await send(ctx, tx, game, { reason: 'alerts', alerts: others.map(alertOf), now });
    const done = [...unwanted, ...digest, ...(isFree ? others : [])];
    await sql.deleteWaiting(tx, gameId, done);
  });
}

function partition<T>(all: readonly T[], isFirst: (each: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((each) => !isFirst(each))];
}

function alertOf({ kind, subject, happened_at, data }: sql.WaitingAlert): Alert {
  return { kind, subject, happenedAt: happened_at, data };
}

/** Whether to send an alert at all: its kind is not muted, and its subject was not in a recent message. */
function isWanted({ alerted_at: last }: sql.WaitingAlert, { send, repeatHours, mutedUntil }: Rule, now: Date): boolean {
  if (send === 'never' || (mutedUntil !== null && mutedUntil > now)) return false;
  // A mark from while a clock was ahead would otherwise hold alerts back until it has caught up.
  return last === null || last > now || now.getTime() - last.getTime() >= repeatHours * HOUR;
}

/** Whether another message may be sent now: at most one a minute, and MESSAGES_AN_HOUR. */
async function hasRoom(tx: Tx, gameId: string, now: Date): Promise<boolean> {
  const sent = await sql.sentBetween(tx, gameId, new Date(now.getTime() - HOUR), now);
  const last = sent.at(-1);
  // The job that calls this runs once a minute, but not exactly.
  if (last !== undefined && now.getTime() - last.getTime() < MINUTE / 2) return false;
  return sent.length < MESSAGES_AN_HOUR;
}

type NewMessage = { reason: Message['reason']; alerts: readonly Alert[]; now: Date };

async function send(ctx: Context, tx: Tx, game: Game, { reason, alerts, now }: NewMessage): Promise<void> {
  await sql.markAlerted(tx, game.game_id, alerts, now);
  await emailOperators(ctx, tx, game, alerts);
  const content = contentOf(alerts, game.slug);
  const recipients = await recipientsOf(tx, game.game_id, content);
  if (recipients.length > 0) await sendTo(tx, game.game_id, recipients, { reason, content, now });
}

/** Adds a message, with a delivery to each recipient. Returns their ids. */
export async function sendTo(
  tx: Tx,
  gameId: string,
  recipients: readonly deliveries.AlertRecipient[],
  { reason, content, now }: { reason: Message['reason']; content: Content; now: Date },
): Promise<string[]> {
  const messageId = newId(now.getTime());
  await deliveries.insertMessage(tx, { gameId, messageId, reason, content, createdAt: now });
  const ids: string[] = [];
  for (const to of recipients) {
    const deliveryId = newId(now.getTime());
    await deliveries.insertDelivery(tx, { gameId, deliveryId, messageId, to });
    const isReliable = 'userId' in to || to.gotLast;
    if (reason !== 'test') await enqueueDelivery(tx, gameId, deliveryId, { isReliable });
    ids.push(deliveryId);
  }
  return ids;
}

/** The members and destinations that get at least one of the alerts. */
async function recipientsOf(db: Db, gameId: string, content: Content): Promise<deliveries.AlertRecipient[]> {
  const subscribers = await sql.listSubscribers(db, gameId);
  const destinations = await deliveries.listDestinations(db, gameId);
  const wants = (kinds: readonly AlertKind[] | null) => {
    const { lines, more } = ofKinds(content, kinds);
    return lines.length > 0 || Object.keys(more).length > 0;
  };
  return [
    ...subscribers.map(({ user_id }) => ({ userId: user_id })),
    ...destinations
      .filter(({ enabled, kinds }) => enabled && wants(kinds))
      .map(({ destination_id, state }) => ({ destinationId: destination_id, gotLast: state === 'sent' })),
  ];
}

/**
 * Emails operators about a game whose owners can't get alerts, because their accounts are disabled. The emails are only
 * about limits, which operators can change, and are sent if the transaction commits.
 */
async function emailOperators(ctx: Context, tx: Tx, game: Game, alerts: readonly Alert[]): Promise<void> {
  const ofLimits = alerts.filter(({ kind }) => kind === 'quota_low');
  if (ofLimits.length === 0 || (await listOwners(tx, game.game_id)).length > 0) return;
  const content = contentOf(ofLimits, game.slug);
  const about = { uid: game.game_id, name: game.name, url: '' };
  const emails = (await listActiveOperators(tx)).map(({ email: to }) => ({
    to,
    subject: oneLine(subjectOf({ game: about, reason: 'alerts', ...content })),
    text: [
      ...content.lines.map(({ heading, text }) => `${heading}: ${text}`),
      `You get this email as an operator, because the accounts of all owners of ${quote(game.name)} are disabled. Change its limits at:`,
      `${ctx.publicUrl}${PAGES.operatorGames}\n`,
    ].join('\n\n'),
  }));
  await enqueueEmails(ctx, tx, 'operator_notice', emails);
}
