// The SQL of destinations, messages and their deliveries.
import type { AlertKind, DELIVERY_STATES, DESTINATION_KINDS } from '@chauffeur/contract/operations/alerts';
import { sql } from 'kysely';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';
import type { Content, Message } from './message.ts';

type DeliveryState = (typeof DELIVERY_STATES)[number];

export type DestinationRow = {
  destination_id: string;
  kind: (typeof DESTINATION_KINDS)[number];
  name: string;
  url: string;
  kinds: AlertKind[] | null;
  secret_version: number;
  enabled: boolean;
  created_by: string;
  created_at: Date;
  /** The last test; null before the first one, and after a change of the address. */
  tested_at: Date | null;
  /** Why the last test did not arrive. */
  test_problem: string | null;
};

/** A destination with its newest delivery, whose fields are null if it has none. */
type ListedDestination = DestinationRow & {
  last_id: string | null;
  last_attempt_at: Date | null;
  state: DeliveryState | null;
  problem: string | null;
};

const destinationColumns = sql.raw(
  'destination_id, kind, name, url, kinds, secret_version, enabled, created_by, created_at, tested_at, test_problem',
);

export function listDestinations(db: Db, gameId: string): Promise<ListedDestination[]> {
  return rows(
    db,
    sql<ListedDestination>`select ${destinationColumns}, last.delivery_id as last_id, last.last_attempt_at, last.state, last.problem
      from alert_destinations left join lateral (
        select delivery_id, last_attempt_at, state, problem from alert_deliveries
        where alert_deliveries.game_id = alert_destinations.game_id
          and alert_deliveries.destination_id = alert_destinations.destination_id
        order by delivery_id desc limit 1
      ) as last on true
      where alert_destinations.game_id = ${gameId} order by created_at, destination_id`,
  );
}

export function findDestination(db: Db, gameId: string, destinationId: string): Promise<DestinationRow | undefined> {
  return row(
    db,
    sql<DestinationRow>`select ${destinationColumns} from alert_destinations
      where game_id = ${gameId} and destination_id = ${destinationId}`,
  );
}

type NewDestination = Pick<DestinationRow, 'kind' | 'name' | 'url' | 'kinds'> & {
  gameId: string;
  destinationId: string;
  createdBy: string;
  createdAt: Date;
};

/** Returns false if the game has `limit` destinations already. */
export async function insertDestination(tx: Tx, destination: NewDestination, limit: number): Promise<boolean> {
  const { gameId, destinationId, kind, name, url, kinds, createdBy, createdAt } = destination;
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`alert destinations/${gameId}`}, 0))`);
  const count = await changed(
    tx,
    sql`insert into alert_destinations (game_id, destination_id, kind, name, url, kinds, created_by, created_at)
      select ${gameId}, ${destinationId}, ${kind}, ${name}, ${url}, ${kinds}, ${createdBy}, ${createdAt}
      where (select count(*) from alert_destinations where game_id = ${gameId}) < ${limit}`,
  );
  return count === 1;
}

/** Fields that are undefined stay as they are. */
export type DestinationChanges = {
  [Field in 'name' | 'url' | 'kinds' | 'enabled']?: DestinationRow[Field] | undefined;
};

export async function updateDestination(
  db: Db,
  gameId: string,
  destinationId: string,
  { name, url, kinds, enabled }: DestinationChanges,
): Promise<void> {
  await changed(
    db,
    sql`update alert_destinations set name = coalesce(${name ?? null}, name), url = coalesce(${url ?? null}, url),
        kinds = case when ${kinds !== undefined}::boolean then ${kinds ?? null}::text[] else kinds end,
        enabled = coalesce(${enabled ?? null}, enabled),
        tested_at = case when ${url !== undefined}::boolean then null else tested_at end,
        test_problem = case when ${url !== undefined}::boolean then null else test_problem end
      where game_id = ${gameId} and destination_id = ${destinationId}`,
  );
}

/** Returns false if the game has no such destination. */
export async function deleteDestination(db: Db, gameId: string, destinationId: string): Promise<boolean> {
  const count = await changed(
    db,
    sql`delete from alert_destinations where game_id = ${gameId} and destination_id = ${destinationId}`,
  );
  return count === 1;
}

/** Returns the new version of the secret; undefined if the game has no such webhook. */
export function rotateSecret(
  db: Db,
  gameId: string,
  destinationId: string,
): Promise<{ secret_version: number } | undefined> {
  return row(
    db,
    sql<{ secret_version: number }>`update alert_destinations set secret_version = secret_version + 1
      where game_id = ${gameId} and destination_id = ${destinationId} and kind = 'webhook' returning secret_version`,
  );
}

type NewMessage = {
  gameId: string;
  messageId: string;
  reason: Message['reason'];
  content: Content;
  createdAt: Date;
};

export async function insertMessage(tx: Tx, message: NewMessage): Promise<void> {
  await changed(
    tx,
    sql`insert into alert_messages (game_id, message_id, reason, content, created_at)
      values (${message.gameId}, ${message.messageId}, ${message.reason}, ${JSON.stringify(message.content)}, ${message.createdAt})`,
  );
}

/** `gotLast` says whether the destination has got its last message. */
export type AlertRecipient = { destinationId: string; gotLast: boolean } | { userId: string };

export async function insertDelivery(
  tx: Tx,
  delivery: { gameId: string; deliveryId: string; messageId: string; to: AlertRecipient },
): Promise<void> {
  const destinationId = 'destinationId' in delivery.to ? delivery.to.destinationId : null;
  const userId = 'userId' in delivery.to ? delivery.to.userId : null;
  await changed(
    tx,
    sql`insert into alert_deliveries (game_id, delivery_id, message_id, destination_id, user_id)
      values (${delivery.gameId}, ${delivery.deliveryId}, ${delivery.messageId}, ${destinationId}, ${userId})`,
  );
}

export type DeliveryRow = {
  delivery_id: string;
  message_id: string;
  reason: Message['reason'];
  content: Content;
  created_at: Date;
  destination_id: string | null;
  user_id: string | null;
  state: DeliveryState;
  attempts: number;
  last_attempt_at: Date | null;
  status: number | null;
  problem: string | null;
  /** The name of the destination or the member. */
  name: string;
  kind: DestinationRow['kind'] | null;
  kinds: AlertKind[] | null;
};

const deliveries = sql`select deliveries.delivery_id, deliveries.message_id, reason, content, messages.created_at,
    deliveries.destination_id, deliveries.user_id, state, attempts, last_attempt_at, status, problem,
    coalesce(destinations.name, users.name, '') as name, destinations.kind, destinations.kinds
  from alert_deliveries deliveries
    join alert_messages messages using (game_id, message_id)
    left join alert_destinations destinations using (game_id, destination_id)
    left join users on users.id = deliveries.user_id`;

export function findDelivery(db: Db, gameId: string, deliveryId: string): Promise<DeliveryRow | undefined> {
  return row(db, sql<DeliveryRow>`${deliveries} where deliveries.game_id = ${gameId} and delivery_id = ${deliveryId}`);
}

type Selection = { destinationId?: string | undefined; state?: DeliveryState | undefined };

/** The deliveries before `before`, newest first. */
export function listDeliveries(
  db: Db,
  gameId: string,
  { destinationId, state }: Selection,
  { before, limit }: { before: string | null; limit: number },
): Promise<DeliveryRow[]> {
  const conditions = [sql`deliveries.game_id = ${gameId}`];
  if (destinationId !== undefined) conditions.push(sql`deliveries.destination_id = ${destinationId}`);
  if (state !== undefined) conditions.push(sql`state = ${state}`);
  if (before !== null) conditions.push(sql`delivery_id < ${before}::uuid`);
  return rows(
    db,
    sql<DeliveryRow>`${deliveries} where ${sql.join(conditions, sql` and `)} order by delivery_id desc limit ${limit}`,
  );
}

export type Result = { state: DeliveryState; status: number | null; problem: string | null };

export async function saveAttempt(
  db: Db,
  gameId: string,
  deliveryId: string,
  { state, status, problem }: Result,
  now: Date,
): Promise<void> {
  await changed(
    db,
    sql`update alert_deliveries
      set state = ${state}, status = ${status}, problem = ${problem}, attempts = attempts + 1, last_attempt_at = ${now}
      where game_id = ${gameId} and delivery_id = ${deliveryId}`,
  );
}

/** Records the result of a test with the destination, unless a later test has one already. */
export async function saveTest(
  db: Db,
  gameId: string,
  destinationId: string,
  { problem }: Result,
  now: Date,
): Promise<void> {
  await changed(
    db,
    sql`update alert_destinations set tested_at = ${now}, test_problem = ${problem}
      where game_id = ${gameId} and destination_id = ${destinationId} and (tested_at is null or tested_at <= ${now})`,
  );
}

/** Returns false if the game has no such delivery. */
export async function reopenDelivery(tx: Tx, gameId: string, deliveryId: string): Promise<boolean> {
  const count = await changed(
    tx,
    sql`update alert_deliveries set state = 'waiting' where game_id = ${gameId} and delivery_id = ${deliveryId}`,
  );
  return count === 1;
}

/** The address of a member of the game who still gets emails; undefined for anyone else. */
export function findAddress(db: Db, gameId: string, userId: string): Promise<{ email: string } | undefined> {
  return row(
    db,
    sql<{ email: string }>`select email from users where id = ${userId} and email_verified and disabled_at is null
      and exists (select from game_members where game_id = ${gameId} and user_id = users.id)
      and coalesce((select subscribed from alert_subscriptions where game_id = ${gameId} and user_id = users.id), true)`,
  );
}

/** The number of tests that the game has sent since then. */
export async function countTests(db: Db, gameId: string, since: Date): Promise<number> {
  const { tests } = await onlyRow(
    db,
    sql<{ tests: number }>`select count(*) as tests from alert_messages
      where game_id = ${gameId} and reason = 'test' and created_at > ${since}`,
  );
  return tests;
}
