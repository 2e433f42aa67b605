// The SQL that counts emails, and of the addresses that block them.
import { sql } from 'kysely';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';
import type { Bounds } from './email-kinds.ts';

export type CountRow = { subject: string; admitted: boolean; hour_start: Date; day_is_full: boolean };

const HOUR_SECONDS = 3600;

/**
 * Counts `emails` emails of a kind for each subject, unless they would be more than the bounds allow. A row is locked until
 * the transaction ends, so transactions of all processes follow each other. They lock rows in one order, so that none
 * waits for another in a circle. An hour begins with its first email, a day at midnight UTC. A clock that was wrong delays
 * emails by an hour at most.
 */
export function countEmails(
  tx: Tx,
  { kind, subjects, emails, bounds }: { kind: string; subjects: readonly string[]; emails: number; bounds: Bounds },
  now: Date,
): Promise<CountRow[]> {
  const isSameHour = sql`abs(extract(epoch from excluded.hour_start - counts.hour_start)) < ${HOUR_SECONDS}`;
  const isSameDay = sql`counts.day = excluded.day`;
  const inHour = sql`(case when ${isSameHour} then counts.in_hour else 0 end)`;
  const inDay = sql`(case when ${isSameDay} then counts.in_day else 0 end)`;
  const fits = (hour: unknown, day: unknown) =>
    sql`((${bounds.hour}::integer = 0 or ${hour} + ${emails}::integer <= ${bounds.hour}::integer)
      and (${bounds.day}::integer = 0 or ${day} + ${emails}::integer <= ${bounds.day}::integer))`;
  const isFirst = fits(sql`0`, sql`0`);
  const isNext = fits(inHour, inDay);
  const countIf = (condition: unknown) => sql`(case when ${condition} then ${emails}::integer else 0 end)`;
  return rows(
    tx,
    sql<CountRow>`insert into mail_counts as counts
        (subject, kind, hour_start, in_hour, day, in_day, held, admitted)
      select subject, ${kind}, ${now}, ${countIf(isFirst)}, (${now}::timestamptz at time zone 'UTC')::date,
        ${countIf(isFirst)}, ${emails}::integer - ${countIf(isFirst)}, ${isFirst}
      from unnest(${subjects}::text[]) as given (subject) order by subject
      on conflict (subject, kind) do update set
        hour_start = case when ${isSameHour} then counts.hour_start else excluded.hour_start end,
        in_hour = ${inHour} + ${countIf(isNext)},
        day = excluded.day,
        in_day = ${inDay} + ${countIf(isNext)},
        held = (case when ${isSameDay} then counts.held else 0 end) + ${emails}::integer - ${countIf(isNext)},
        admitted = ${isNext}
      returning subject, admitted, hour_start, (${bounds.day}::integer > 0 and in_day >= ${bounds.day}::integer) as day_is_full`,
  );
}

/** How many emails of today (UTC) were over the limit of their recipient. */
export async function countHeldEmails(db: Db, now: Date): Promise<number> {
  const { held } = await onlyRow(
    db,
    sql<{ held: number }>`select coalesce(sum(held), 0)::bigint as held from mail_counts
      where day = (${now}::timestamptz at time zone 'UTC')::date and held > 0`,
  );
  return held;
}

/** Those of these addresses, in lower case, that are verified addresses of accounts. */
export async function findVerified(db: Db, addresses: readonly string[]): Promise<Set<string>> {
  const found = await rows(
    db,
    sql<{ email: string }>`select email from users where email = any(${addresses}::text[]) and email_verified`,
  );
  return new Set(found.map(({ email }) => email));
}

export type BlockRow = { recipient: string; blocked_until: Date };

export function findBlocks(db: Db, recipients: readonly string[], now: Date): Promise<BlockRow[]> {
  return rows(
    db,
    sql<BlockRow>`select recipient, blocked_until from mail_blocks
      where recipient = any(${recipients}::text[]) and blocked_until > ${now}`,
  );
}

export async function blockRecipient(db: Db, recipient: string, until: Date): Promise<void> {
  await changed(
    db,
    sql`insert into mail_blocks (recipient, blocked_until) values (${recipient}, ${until})
      on conflict (recipient) do update set blocked_until = excluded.blocked_until`,
  );
}

export async function deleteBlock(db: Db, recipient: string): Promise<void> {
  await changed(db, sql`delete from mail_blocks where recipient = ${recipient}`);
}

/** Marks a link as used. False if it was used before. */
export async function insertUsedLink(tx: Tx, link: Buffer, expiresAt: Date): Promise<boolean> {
  const inserted = await changed(
    tx,
    sql`insert into used_links (link, expires_at) values (${link}, ${expiresAt}) on conflict do nothing`,
  );
  return inserted > 0;
}

export async function isUsedLink(db: Db, link: Buffer): Promise<boolean> {
  return (await row(db, sql`select from used_links where link = ${link}`)) !== undefined;
}

/** Deletes counts and blocks that no longer have an effect. */
export async function deleteExpired(db: Db, now: Date): Promise<void> {
  await changed(
    db,
    sql`delete from mail_counts where hour_start < ${now}::timestamptz - interval '1 hour'
      and day < (${now}::timestamptz at time zone 'UTC')::date`,
  );
  await changed(db, sql`delete from mail_blocks where blocked_until < ${now}`);
  await changed(db, sql`delete from used_links where expires_at < ${now}`);
}
