// The chats and webhooks that get a game's alerts, and the log of what was delivered to them.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/alerts';
import { readWebAddress } from '@chauffeur/contract/web-address';
import type { Context } from '../../context.ts';
import { HOUR } from '../../kernel/clock.ts';
import { transact } from '../../kernel/database/db.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { isPrivateHost } from '../../kernel/network/public-request.ts';
import { newId, timeOfId } from '../../kernel/secrets/ids.ts';
import { type Game, lockGame, requireMember } from '../../people/game-access/game-access.ts';
import { auditChange, auditChanges } from '../../request/audit.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import { handle } from '../../request/route.ts';
import { sendTo } from './collect.ts';
import { deliver, enqueueDelivery, isBeingDelivered } from './deliver.job.ts';
import * as sql from './deliveries.sql.ts';
import { ofKinds, subjectOf } from './message.ts';
import { findChatProblem, secretOf } from './message-formats.ts';

type Destination = OutputOf<typeof contract.listAlertDestinations>['destinations'][number];
type Delivery = OutputOf<typeof contract.redeliverAlert>;

const PAGE_SIZE = 50;
const TESTS_AN_HOUR = 30;
const BY_HAND_LIMIT = { name: 'deliveries by hand', max: 100, windowSeconds: 3600 } as const;

export const listAlertDestinations = handle(contract.listAlertDestinations, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return { destinations: await destinationsOf(ctx, game) };
});

async function destinationsOf(ctx: Context, game: Game): Promise<Destination[]> {
  const found = await sql.listDestinations(ctx.db, game.game_id);
  return found.map(
    ({ destination_id, kind, name, url, kinds, enabled, created_by, created_at, tested_at, ...last }) => ({
      destination_uid: destination_id,
      kind,
      name,
      host: new URL(url).host,
      kinds,
      enabled,
      created_by,
      created_at: created_at.toISOString(),
      last_test: tested_at === null ? null : { at: tested_at.toISOString(), problem: last.test_problem },
      last:
        last.last_id === null || last.state === null
          ? null
          : {
              at: (last.last_attempt_at ?? new Date(timeOfId(last.last_id))).toISOString(),
              state: last.state,
              problem: last.problem,
            },
    }),
  );
}

/** Throws `notFound` if the game has no such destination. */
async function destinationOf(ctx: Context, game: Game, destinationId: string): Promise<Destination> {
  const destination = (await destinationsOf(ctx, game)).find(
    ({ destination_uid }) => destination_uid === destinationId,
  );
  if (destination === undefined) throw unknownDestination();
  return destination;
}

function unknownDestination(): ApiError {
  return errors.notFound('destination_uid: this game has no such destination of alerts.');
}

/**
 * Also sends a test, whose result is in the response. A destination is kept if its test fails: a webhook can't check the
 * signature before it has the secret, and a chat may be down. Throws `limitReached` with `retry_after` if the game has
 * sent too many tests.
 */
export const addAlertDestination = handle(contract.addAlertDestination, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { send_test: isTested = true } = input;
  if (isTested) await requireFewTests(ctx, game);
  const now = ctx.clock.now();
  const destinationId = newId(now.getTime());
  const destination = {
    gameId: game.game_id,
    destinationId,
    kind: input.kind,
    name: input.name,
    url: await checkAddress(ctx, input.kind, input.url),
    kinds: input.kinds ?? null,
    createdBy: caller.user.name,
    createdAt: now,
  };
  // Addresses of webhooks contain secrets.
  auditChanges(
    {},
    { kind: input.kind, name: input.name, host: new URL(destination.url).host, kinds: destination.kinds },
  );
  if (!(await transact(ctx.db, (tx) => sql.insertDestination(tx, destination, LIMITS.alertDestinations))))
    throw errors.invalid(
      `The game has ${LIMITS.alertDestinations} destinations, which is the limit. Delete one first.`,
    );
  if (isTested) await sendTest(ctx, game, destinationId);
  return {
    destination: await destinationOf(ctx, game, destinationId),
    secret: input.kind === 'webhook' ? secretOf(ctx.secret, { destinationId, secretVersion: 1 }) : null,
  };
});

/**
 * Checks a URL, but not whether its host has a public address, which is checked when a message is sent. A chat has
 * fixed hosts, unless it is in the network of an operator who allows that. Throws `invalid`.
 */
async function checkAddress({ config }: Context, kind: Destination['kind'], text: string): Promise<string> {
  const url = readWebAddress(text);
  const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && config.alertPrivateHosts);
  if (url === null || !isAllowed) throw errors.invalid('url: must be an address that begins with https://.');
  const problem = findChatProblem(kind, url);
  if (problem !== null && !(config.alertPrivateHosts && (await isPrivateHost(url))))
    throw errors.invalid(`url: ${problem} To send alerts elsewhere, choose a webhook.`);
  return url.href;
}

export const updateAlertDestination = handle(contract.updateAlertDestination, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { destination_uid: destinationId, name, url, kinds, enabled } = input;
  const { kind } = await destinationOf(ctx, game, destinationId);
  const changes = { name, kinds, enabled, url: url === undefined ? undefined : await checkAddress(ctx, kind, url) };
  return transact(ctx.db, async (tx) => {
    // The lock makes the second of two changes at the same time start from the first.
    await lockGame(tx, game.game_id);
    const inTransaction = { ...ctx, db: tx };
    const before = await destinationOf(inTransaction, game, destinationId);
    await sql.updateDestination(tx, game.game_id, destinationId, changes);
    const after = await destinationOf(inTransaction, game, destinationId);
    auditChanges(before, after, ['name', 'host', 'kinds', 'enabled']);
    return after;
  });
});

export const deleteAlertDestination = handle(contract.deleteAlertDestination, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { kind, name, host } = await destinationOf(ctx, game, input.destination_uid);
  auditChange('destination', { kind, name, host }, null);
  if (!(await sql.deleteDestination(ctx.db, game.game_id, input.destination_uid))) throw unknownDestination();
  return { deleted: true };
});

export const rotateAlertSecret = handle(contract.rotateAlertSecret, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const rotated = await sql.rotateSecret(ctx.db, game.game_id, input.destination_uid);
  if (rotated === undefined)
    throw errors.notFound('destination_uid: this game has no such webhook. Only webhooks have a secret.');
  const secretVersion = rotated.secret_version;
  return { secret: secretOf(ctx.secret, { destinationId: input.destination_uid, secretVersion }) };
});

/** Throws `limitReached` with `retry_after` if the game has sent too many tests. */
export const testAlertDestination = handle(contract.testAlertDestination, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { destination_uid: destinationId } = await destinationOf(ctx, game, input.destination_uid);
  await requireFewTests(ctx, game);
  return deliveryOf(ctx, game, await sendTest(ctx, game, destinationId));
});

async function requireFewTests(ctx: Context, game: Game): Promise<void> {
  if ((await sql.countTests(ctx.db, game.game_id, new Date(ctx.clock.now().getTime() - HOUR))) >= TESTS_AN_HOUR)
    throw errors.limitReached(`You have sent ${TESTS_AN_HOUR} tests in an hour. Try again later.`, {
      data: { retry_after: HOUR / 1000 },
    });
}

/** Sends a test, and waits for the result. Returns the id of its delivery. */
async function sendTest(ctx: Context, game: Game, destinationId: string): Promise<string> {
  const [deliveryId] = await transact(ctx.db, (tx) =>
    sendTo(tx, game.game_id, [{ destinationId, gotLast: false }], {
      reason: 'test',
      content: { lines: [], more: {} },
      now: ctx.clock.now(),
    }),
  );
  await deliver(ctx, game.game_id, deliveryId!, { isLast: true });
  return deliveryId!;
}

export const listAlertDeliveries = handle(contract.listAlertDeliveries, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { destination_uid: destinationId, state, cursor, limit = PAGE_SIZE } = input;
  const list = ['alert deliveries', game.game_id, destinationId ?? null, state ?? null];
  const [before = null] = cursor === undefined ? [] : readCursor(list, cursor, ['uuid']);
  const found = await sql.listDeliveries(ctx.db, game.game_id, { destinationId, state }, { before, limit: limit + 1 });
  const { page, last } = cutPage(found, limit);
  return {
    deliveries: page.map((delivery) => recordOf(game, delivery)),
    next_cursor: last === null ? null : writeCursor(list, [last.delivery_id]),
  };
});

/** Throws `limitReached` after too many in an hour. */
export const redeliverAlert = handle(contract.redeliverAlert, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  await transact(ctx.db, async (tx) => {
    if (!(await sql.reopenDelivery(tx, game.game_id, input.delivery_uid))) return;
    await countUse(ctx, tx, game.game_id, BY_HAND_LIMIT);
    // A message that is being sent would otherwise arrive once for each request.
    if (!(await isBeingDelivered(tx, input.delivery_uid)))
      await enqueueDelivery(tx, game.game_id, input.delivery_uid, { isReliable: false });
  });
  return deliveryOf(ctx, game, input.delivery_uid);
});

async function deliveryOf(ctx: Context, game: Game, deliveryId: string): Promise<Delivery> {
  const delivery = await sql.findDelivery(ctx.db, game.game_id, deliveryId);
  if (delivery === undefined) throw errors.notFound('delivery_uid: this game has no such delivery.');
  return recordOf(game, delivery);
}

function recordOf(game: Game, delivery: sql.DeliveryRow): Delivery {
  const { delivery_id, message_id, reason, content, kinds, created_at, last_attempt_at } = delivery;
  const ofGame = { uid: game.game_id, name: game.name, url: '' };
  return {
    delivery_uid: delivery_id,
    message_uid: message_id,
    reason,
    destination_uid: delivery.destination_id,
    to: delivery.name,
    subject: subjectOf({ game: ofGame, reason, ...ofKinds(content, kinds) }),
    state: delivery.state,
    attempts: delivery.attempts,
    last_attempt_at: last_attempt_at?.toISOString() ?? null,
    status: delivery.status,
    problem: delivery.problem,
    created_at: created_at.toISOString(),
  };
}
