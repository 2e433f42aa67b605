// Delivers a message to one destination or member, with retries for about a day (alerts.ts lists the states).

import { PAGES } from '@chauffeur/contract/pages';
import type { Context } from '../../context.ts';
import { MINUTE } from '../../kernel/clock.ts';
import { type Db, transact } from '../../kernel/database/db.ts';
import { type Attempt, addJob, defineJob, isJobRunning } from '../../kernel/jobs/jobs.ts';
import { INTERNET, NotPublicError, requestPublic } from '../../kernel/network/public-request.ts';
import { admitEmail } from '../../people/emails/emails.ts';
import { findGame } from '../../people/game-access/game-access.sql.ts';
import type { Game } from '../../people/game-access/game-access.ts';
import { actionLinksOf } from './action-links.ts';
import { unsubscribeToken } from './alert-rules.ts';
import * as sql from './deliveries.sql.ts';
import { problemOf, RefusedError, requireAccepted } from './delivery-problems.ts';
import { type Message, ofKinds } from './message.ts';
import {
  alertEmail,
  discordMessage,
  signedHeaders,
  slackMessage,
  teamsMessage,
  webhookBody,
} from './message-formats.ts';

type Payload = { gameId: string; deliveryId: string };

/** The attempts have delays of e^n seconds, and cover an outage of about a day. */
export const deliverJob = defineJob('alerts:deliver', { attempts: 12, lane: 'outgoing' }, deliverAlert);

/**
 * The priority of other deliveries. They run after those to recipients who got their last message, because a server
 * that never responds keeps a worker waiting.
 */
const LATER = 10;

/** Adds the job of a delivery. It replaces a queued one. */
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

const TIMEOUT_MS = MINUTE / 4;

/**
 * Delivers a message, unless it was delivered already. With `isLast`, a failure is final. Returns the result; undefined
 * if the delivery was deleted with its destination or its game.
 */
export async function deliver(
  ctx: Context,
  gameId: string,
  deliveryId: string,
  { isLast }: { isLast: boolean },
): Promise<sql.Result | undefined> {
  const [game, delivery] = await Promise.all([findGame(ctx.db, gameId), sql.findDelivery(ctx.db, gameId, deliveryId)]);
  if (game === null || delivery === undefined) return undefined;
  if (delivery.state === 'sent') return delivery;
  const result = await attempt(ctx, game, delivery, isLast);
  await sql.saveAttempt(ctx.db, gameId, deliveryId, result, ctx.clock.now());
  if (delivery.reason === 'test' && delivery.destination_id !== null)
    await sql.saveTest(ctx.db, gameId, delivery.destination_id, result, ctx.clock.now());
  return result;
}

async function attempt(ctx: Context, game: Game, delivery: sql.DeliveryRow, isLast: boolean): Promise<sql.Result> {
  const { lines, more } = ofKinds(delivery.content, delivery.kinds);
  const message: Message = {
    lines: lines.map((line) => ({ ...line, actions: actionLinksOf(ctx, game, line) })),
    more,
    reason: delivery.reason,
    messageId: delivery.message_id,
    deliveryId: delivery.delivery_id,
    game: { uid: game.game_id, name: game.name, url: `${ctx.publicUrl}${PAGES.overview.replace(':uid', game.slug)}` },
    site: ctx.publicUrl,
    createdAt: delivery.created_at,
  };
  let status: number | null = null;
  try {
    if (delivery.user_id !== null) await sendEmail(ctx, game, delivery.user_id, message);
    else {
      status = await post(ctx, game, delivery.destination_id!, message);
      requireAccepted(status);
    }
    return { state: 'sent', status, problem: null };
  } catch (error) {
    const isFinal = isLast || error instanceof RefusedError || error instanceof NotPublicError;
    return { state: isFinal ? 'failed' : 'waiting', status, problem: problemOf(error, TIMEOUT_MS / 1000) };
  }
}

async function sendEmail(ctx: Context, game: Game, userId: string, message: Message): Promise<void> {
  const recipient = await sql.findAddress(ctx.db, game.game_id, userId);
  if (recipient === undefined) throw new RefusedError('The member no longer gets emails about this game');
  const { held } = await transact(ctx.db, (tx) =>
    admitEmail(ctx, tx, 'alert', { to: recipient.email }, { gameId: game.game_id }),
  );
  if (held !== null) throw new Error('This address has had too many emails about the game within an hour');
  const token = unsubscribeToken(ctx, game.game_id, userId);
  await ctx.mailer.send(
    alertEmail(recipient.email, message, {
      unsubscribePage: `${ctx.publicUrl}${PAGES.unsubscribe.replace(':token', token)}`,
      unsubscribe: `${ctx.publicUrl}/api/v1/public/alerts/unsubscribe?token=${token}`,
      settings: `${ctx.publicUrl}${PAGES.settingsAlerts.replace(':uid', game.slug)}`,
    }),
  );
}

/** Returns the status of the response. */
async function post(ctx: Context, game: Game, destinationId: string, message: Message): Promise<number> {
  const destination = await sql.findDestination(ctx.db, game.game_id, destinationId);
  if (destination === undefined || !destination.enabled) throw new RefusedError('The destination is turned off');
  const body = JSON.stringify(bodyFor(destination.kind, message));
  const response = await requestPublic(
    new URL(destination.url),
    {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        ...(destination.kind === 'webhook' &&
          signedHeaders(
            ctx.secret,
            { destinationId, secretVersion: destination.secret_version },
            { deliveryId: message.deliveryId, body, now: ctx.clock.now() },
          )),
      },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    },
    { ...INTERNET, allowsPrivate: ctx.config.alertPrivateHosts },
  );
  // Only the status counts. The body may be endless.
  response.destroy();
  return response.statusCode ?? 0;
}

function bodyFor(kind: sql.DestinationRow['kind'], message: Message): object {
  switch (kind) {
    case 'slack':
      return slackMessage(message);
    case 'discord':
      return discordMessage(message);
    case 'teams':
      return teamsMessage(message);
    case 'webhook':
      return webhookBody(message);
  }
}
