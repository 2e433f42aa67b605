// The SQL of alerts that wait for a message, and of the rules that decide about them.
import type { AlertKind } from '@chauffeur/contract/operations/alerts';
import { sql } from 'kysely';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';
import type { Alert, Rule } from './alert.ts';

export type SettingsRow = {
  time_zone: string;
  digest_at: string;
  quiet_from: string | null;
  quiet_until: string | null;
};

type RuleRow = { kind: AlertKind; send: Rule['send']; repeat_hours: number; muted_until: Date | null };

/** Adds alerts of games, except those about a subject that already waits. Skips deleted games. */
export async function insertAlerts(db: Db, alerts: readonly (Alert & { gameId: string })[]): Promise<void> {
  await changed(
    db,
    sql`insert into alerts (game_id, kind, subject, happened_at, data)
      select game_id, kind, subject, happened_at, data
      from unnest(${alerts.map(({ gameId }) => gameId)}::uuid[], ${alerts.map(({ kind }) => kind)}::text[],
          ${alerts.map(({ subject }) => subject)}::text[], ${alerts.map(({ happenedAt }) => happenedAt)}::timestamptz[],
          ${alerts.map(({ data }) => JSON.stringify(data))}::jsonb[]) as raised (game_id, kind, subject, happened_at, data)
        join games using (game_id)
      on conflict do nothing`,
  );
}

/** The games that have alerts waiting. */
export async function gamesWithAlerts(db: Db): Promise<string[]> {
  const found = await rows(db, sql<{ game_id: string }>`select distinct game_id from alerts`);
  return found.map(({ game_id }) => game_id);
}

/**
 * Locks the game's waiting alerts, so that two processes don't put them into two messages. False if another has the
 * lock.
 */
export async function lockAlerts(tx: Tx, gameId: string): Promise<boolean> {
  const { locked } = await onlyRow(
    tx,
    sql<{ locked: boolean }>`select pg_try_advisory_xact_lock(hashtextextended(${`alerts/${gameId}`}, 0)) as locked`,
  );
  return locked;
}

export type WaitingAlert = {
  kind: AlertKind;
  subject: string;
  happened_at: Date;
  data: never;
  alerted_at: Date | null;
};

/**
 * The waiting alerts of the game, up to `limit` of each kind, oldest first, with the time at which an alert about the
 * same subject was last in a message.
 */
export function listWaitingAlerts(tx: Tx, gameId: string, limit: number): Promise<WaitingAlert[]> {
  return rows(
    tx,
    sql<WaitingAlert>`select kind, subject, happened_at, data, alerted_at
      from (select *, row_number() over (partition by kind order by happened_at, subject) as rank
        from alerts where game_id = ${gameId}) as waiting
        left join alert_marks using (game_id, kind, subject)
      where rank <= ${limit} order by happened_at, kind, subject`,
  );
}

type Subject = Pick<Alert, 'kind' | 'subject'>;

export async function deleteWaiting(tx: Tx, gameId: string, alerts: readonly Subject[]): Promise<void> {
  await changed(
    tx,
    sql`delete from alerts using ${subjects(alerts)} as done (kind, subject)
      where game_id = ${gameId} and alerts.kind = done.kind and alerts.subject = done.subject`,
  );
}

export async function markAlerted(tx: Tx, gameId: string, alerts: readonly Subject[], now: Date): Promise<void> {
  await changed(
    tx,
    sql`insert into alert_marks (game_id, kind, subject, alerted_at)
      select ${gameId}, kind, subject, ${now} from ${subjects(alerts)} as done (kind, subject)
      on conflict (game_id, kind, subject) do update set alerted_at = excluded.alerted_at`,
  );
}

function subjects(alerts: readonly Subject[]) {
  return sql`unnest(${alerts.map(({ kind }) => kind)}::text[], ${alerts.map(({ subject }) => subject)}::text[])`;
}

/**
 * When the messages of this time were created, oldest first, without digests. Leaves out messages with a time after
 * `now`, from while a clock was ahead.
 */
export async function sentBetween(db: Db, gameId: string, since: Date, now: Date): Promise<Date[]> {
  const found = await rows(
    db,
    sql<{ created_at: Date }>`select created_at from alert_messages
      where game_id = ${gameId} and reason = 'alerts' and created_at > ${since} and created_at <= ${now}
      order by created_at`,
  );
  return found.map(({ created_at }) => created_at);
}

/** Undefined if the game has the defaults. */
export function findAlertSettings(db: Db, gameId: string): Promise<SettingsRow | undefined> {
  return row(
    db,
    sql<SettingsRow>`select time_zone, to_char(digest_at, 'HH24:MI') as digest_at, to_char(quiet_from, 'HH24:MI') as quiet_from,
        to_char(quiet_until, 'HH24:MI') as quiet_until
      from alert_settings where game_id = ${gameId}`,
  );
}

export async function upsertAlertSettings(db: Db, gameId: string, settings: SettingsRow): Promise<void> {
  const { time_zone, digest_at, quiet_from, quiet_until } = settings;
  await changed(
    db,
    sql`insert into alert_settings (game_id, time_zone, digest_at, quiet_from, quiet_until)
      values (${gameId}, ${time_zone}, ${digest_at}, ${quiet_from}, ${quiet_until})
      on conflict (game_id) do update set time_zone = excluded.time_zone, digest_at = excluded.digest_at,
        quiet_from = excluded.quiet_from, quiet_until = excluded.quiet_until`,
  );
}

export function listRules(db: Db, gameId: string): Promise<RuleRow[]> {
  return rows(
    db,
    sql<RuleRow>`select kind, send, repeat_hours, muted_until from alert_rules where game_id = ${gameId}`,
  );
}

export async function upsertRule(db: Db, gameId: string, kind: AlertKind, rule: Rule): Promise<void> {
  await changed(
    db,
    sql`insert into alert_rules (game_id, kind, send, repeat_hours, muted_until)
      values (${gameId}, ${kind}, ${rule.send}, ${rule.repeatHours}, ${rule.mutedUntil})
      on conflict (game_id, kind) do update
        set send = excluded.send, repeat_hours = excluded.repeat_hours, muted_until = excluded.muted_until`,
  );
}

export type SubscriberRow = { user_id: string; name: string };

/** The members who get emails: owners who have not turned them off, and others who have turned them on. */
export function listSubscribers(db: Db, gameId: string): Promise<SubscriberRow[]> {
  return rows(
    db,
    sql<SubscriberRow>`select users.id as user_id, users.name
      from (select user_id, role = 'owner' as by_default from game_members where game_id = ${gameId}) as members
        join users on users.id = members.user_id
        left join alert_subscriptions chosen on chosen.game_id = ${gameId} and chosen.user_id = members.user_id
      where email_verified and disabled_at is null and coalesce(subscribed, by_default) order by by_default desc, users.name, users.id`,
  );
}

export async function upsertSubscription(db: Db, gameId: string, userId: string, subscribed: boolean): Promise<void> {
  await changed(
    db,
    sql`insert into alert_subscriptions (game_id, user_id, subscribed) values (${gameId}, ${userId}, ${subscribed})
      on conflict (game_id, user_id) do update set subscribed = excluded.subscribed`,
  );
}

/** Deletes older messages with their deliveries, and older marks. */
export async function deleteOld(db: Db, before: { messages: Date; marks: Date }): Promise<void> {
  await changed(db, sql`delete from alert_messages where created_at < ${before.messages}`);
  await changed(db, sql`delete from alert_marks where alerted_at < ${before.marks}`);
}
