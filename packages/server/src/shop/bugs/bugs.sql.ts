// The SQL of bug tickets, the replies to them, and who can file them.
import type { BUG_STATUSES } from '@chauffeur/contract/operations/bugs';
import { type RawBuilder, sql } from 'kysely';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';

type BugStatus = (typeof BUG_STATUSES)[number];

export type BugRow = {
  bug_id: string;
  number: number;
  status: BugStatus;
  /** Empty if the player only wrote a message. */
  title: string;
  message: string;
  /** What the player was doing. */
  steps: string;
  fixed_in_version: string | null;
  assignee_id: string | null;
  issue_url: string | null;
  labels: string[];
  build_id: string | null;
  version: string | null;
  os: string | null;
  arch: string | null;
  crash_id: string | null;
  /** The crash group that a developer linked. */
  group_id: string | null;
  duplicate_of: string | null;
  /** The number of the ticket `duplicate_of`. */
  original_number: number | null;
  duplicates: { bug_uid: string; number: number }[];
  can_reply: boolean;
  gets_mail: boolean;
  filed_by: string;
  filed_at: Date;
  updated_at: Date;
};

export type NewBug = {
  gameId: string;
  bugId: string;
  /** Null for a player without an account. */
  userId: string | null;
  filedBy: string;
  /** The address of a player without an account. */
  email: string | null;
  /** The language of emails with replies. */
  language: string;
  title: string;
  message: string;
  steps: string;
  buildId: string | null;
  os: string | null;
  arch: string | null;
  /** The crash report that it is about, if that is known already. */
  crashId?: string | null;
  filedAt: Date;
};

const columns =
  sql.raw(`bug_tickets.bug_id, bug_tickets.number, bug_tickets.status, bug_tickets.title, bug_tickets.message,
  bug_tickets.steps, bug_tickets.fixed_in_version, bug_tickets.assignee_id, bug_tickets.issue_url, bug_tickets.labels, bug_tickets.build_id, version, bug_tickets.os, bug_tickets.arch, bug_tickets.crash_id,
  bug_tickets.group_id, bug_tickets.duplicate_of, original.number as original_number,
  coalesce((select json_agg(json_build_object('bug_uid', duplicate.bug_id, 'number', duplicate.number) order by duplicate.number)
    from bug_tickets duplicate where duplicate.game_id = bug_tickets.game_id
      and duplicate.duplicate_of = bug_tickets.bug_id), '[]') as duplicates,
  bug_tickets.reporter_email is not null or exists (
    select from users where users.id = bug_tickets.user_id and users.email_verified) as can_reply,
  case when bug_tickets.reporter_email is null then exists (
      select from users where users.id = bug_tickets.user_id and users.email_verified and users.disabled_at is null
        and not exists (select from bug_reporters as reporters where reporters.game_id = bug_tickets.game_id
          and reporters.address = users.email and reporters.stopped_at is not null))
    else exists (select from bug_reporters as reporters where reporters.game_id = bug_tickets.game_id
      and reporters.address = lower(bug_tickets.reporter_email)
      and reporters.confirmed_at is not null and reporters.stopped_at is null) end as gets_mail,
  bug_tickets.filed_by, bug_tickets.filed_at, bug_tickets.updated_at`);
/** The names of builds remain after the builds are deleted. */
const table = sql.raw(`bug_tickets left join build_names as builds
    on builds.game_id = bug_tickets.game_id and builds.build_id = bug_tickets.build_id
  left join bug_tickets original
    on original.game_id = bug_tickets.game_id and original.bug_id = bug_tickets.duplicate_of`);

/**
 * Locks the player's tickets, so concurrent requests cannot exceed the limit, and returns how many were filed since
 * `day` began.
 */
export async function lockAndCount(tx: Tx, userId: string, day: Date): Promise<number> {
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`bugs/${userId}`}, 0))`);
  const { filed } = await onlyRow(
    tx,
    sql<{ filed: number }>`select count(*) as filed from bug_tickets where user_id = ${userId} and filed_at >= ${day}`,
  );
  return filed;
}

/** Returns the number of the ticket. */
export async function insertBug(tx: Tx, bug: NewBug): Promise<number> {
  const { number } = await onlyRow(
    tx,
    sql<{
      number: number;
    }>`insert into bug_tickets (game_id, bug_id, user_id, filed_by, reporter_email, language, title, message, steps,
        build_id, os, arch, crash_id, filed_at, updated_at)
      values (${bug.gameId}, ${bug.bugId}, ${bug.userId}, ${bug.filedBy}, ${bug.email}, ${bug.language}, ${bug.title}, ${bug.message}, ${bug.steps},
        ${bug.buildId}, ${bug.os}, ${bug.arch}, ${bug.crashId ?? null}, ${bug.filedAt}, ${bug.filedAt})
      returning number`,
  );
  return number;
}

export async function setCrash(db: Db, gameId: string, bugId: string, crashId: string): Promise<void> {
  await changed(db, sql`update bug_tickets set crash_id = ${crashId} where game_id = ${gameId} and bug_id = ${bugId}`);
}

export async function deleteBug(db: Db, gameId: string, bugId: string): Promise<void> {
  await changed(db, sql`delete from bug_tickets where game_id = ${gameId} and bug_id = ${bugId}`);
}

export type Filters = {
  status: BugStatus | undefined;
  label: string | undefined;
  assignee: string | undefined;
  /** A crash group, and the groups that are merged with it. */
  groupIds: readonly string[] | undefined;
  crashId: string | undefined;
  text: string | undefined;
};

/** Tickets older than `before`, the newest first. */
export function listBugs(
  db: Db,
  gameId: string,
  { status, label, assignee, groupIds, crashId, text }: Filters,
  { before, limit }: { before: string | null; limit: number },
): Promise<BugRow[]> {
  const conditions: RawBuilder<unknown>[] = [sql`bug_tickets.game_id = ${gameId}`];
  if (status !== undefined) conditions.push(sql`bug_tickets.status = ${status}`);
  if (label !== undefined) conditions.push(sql`${label} = any(bug_tickets.labels)`);
  if (assignee !== undefined) conditions.push(sql`bug_tickets.assignee_id = ${assignee}`);
  if (groupIds !== undefined) conditions.push(isAbout(gameId, groupIds));
  if (crashId !== undefined) conditions.push(sql`bug_tickets.crash_id = ${crashId}::uuid`);
  if (text !== undefined) conditions.push(matchesText(text));
  if (before !== null) conditions.push(sql`bug_tickets.bug_id < ${before}::uuid`);
  return rows(
    db,
    sql<BugRow>`select ${columns} from ${table} where ${sql.join(conditions, sql` and `)}
      order by bug_tickets.bug_id desc limit ${limit}`,
  );
}

/**
 * Whether a developer linked the ticket to one of the groups, or its crash report is in one of them. The subquery
 * refers to no ticket of the list, so that Citus can run it on the server with the reports.
 */
function isAbout(gameId: string, groupIds: readonly string[]): RawBuilder<unknown> {
  return sql`(bug_tickets.group_id = any(${groupIds}::uuid[]) or bug_tickets.group_id is null and bug_tickets.crash_id in (
    select report_id from crash_reports where crash_reports.game_id = ${gameId}
      and crash_reports.group_id = any(${groupIds}::uuid[]) and report_id in (
        select reported.crash_id from bug_tickets reported where reported.game_id = ${gameId} and reported.crash_id is not null)))`;
}

/** Matches a ticket by its words, or by its number. A text without words matches nothing. */
function matchesText(text: string): RawBuilder<unknown> {
  const number = /^\s*#?(\d{1,9})\s*$/.exec(text)?.[1];
  const words = sql`bug_tickets.words @@ crash_query(${text})`;
  return number === undefined ? words : sql`(bug_tickets.number = ${Number(number)} or ${words})`;
}

/** Undefined if the game has no such ticket. */
export function findBug(db: Db, gameId: string, bugId: string): Promise<BugRow | undefined> {
  return row(
    db,
    sql<BugRow>`select ${columns} from ${table}
      where bug_tickets.game_id = ${gameId} and bug_tickets.bug_id = ${bugId}`,
  );
}

/** The number of open tickets of each game, counted up to `max`. Games without open tickets are left out. */
export function countOpenTickets(
  db: Db,
  gameIds: readonly string[],
  max: number,
): Promise<{ game_id: string; open: number }[]> {
  return rows(
    db,
    sql<{ game_id: string; open: number }>`select game_id, count(*) as open
      from unnest(${gameIds}::uuid[]) as games (game_id) cross join lateral (
        select from bug_tickets where bug_tickets.game_id = games.game_id and status = 'open' limit ${max}
      ) as counted group by game_id`,
  );
}

export type NewBugRow = { bug_id: string; number: number; title: string; message: string; bugs: number };

/** The open tickets with ids after `from` that are not duplicates, newest first, with how many there are up to `max`. */
export function listNewBugs(
  db: Db,
  gameId: string,
  from: string,
  { limit, max }: { limit: number; max: number },
): Promise<NewBugRow[]> {
  const isNew = sql`game_id = ${gameId} and status = 'open' and bug_id >= ${from}::uuid and duplicate_of is null`;
  return rows(
    db,
    sql<NewBugRow>`select bug_id, number, title, message,
        (select count(*) from (select from bug_tickets where ${isNew} limit ${max}) as counted) as bugs
      from bug_tickets where ${isNew} order by bug_id desc limit ${limit}`,
  );
}

/** How many tickets of the game were fixed in each of these versions. Versions without one are left out. */
export async function countFixedIn(
  db: Db,
  gameId: string,
  versions: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const counted = await rows(
    db,
    sql<{ version: string; fixed: number }>`select fixed_in_version as version, count(*) as fixed from bug_tickets
      where game_id = ${gameId} and status = 'fixed' and fixed_in_version = any(${versions}::text[])
      group by fixed_in_version`,
  );
  return new Map(counted.map(({ version, fixed }) => [version, fixed]));
}

export type TicketChanges = {
  status: BugStatus | undefined;
  /** Null for a ticket that is not fixed. */
  fixedIn: string | null | undefined;
  assignee: string | null | undefined;
  issueUrl: string | null | undefined;
  title: string | undefined;
  labels: readonly string[] | undefined;
  groupId: string | null | undefined;
};

export type TicketState = {
  number: number;
  title: string;
  message: string;
  status: BugStatus;
  fixed_in_version: string | null;
  assignee_id: string | null;
};

/** Locks a ticket until the transaction ends. Undefined if the game has no such ticket. */
export function lockBug(tx: Tx, gameId: string, bugId: string): Promise<TicketState | undefined> {
  return row(
    tx,
    sql<TicketState>`select number, title, message, status, fixed_in_version, assignee_id from bug_tickets
      where game_id = ${gameId} and bug_id = ${bugId} for update`,
  );
}

export async function updateBug(
  tx: Tx,
  gameId: string,
  bugId: string,
  { status, fixedIn, assignee, issueUrl, title, labels, groupId }: TicketChanges,
  now: Date,
): Promise<void> {
  const changes = [
    sql`updated_at = ${now}`,
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(fixedIn === undefined ? [] : [sql`fixed_in_version = ${fixedIn}`]),
    ...(assignee === undefined ? [] : [sql`assignee_id = ${assignee}`]),
    ...(issueUrl === undefined ? [] : [sql`issue_url = ${issueUrl}`]),
    ...(title === undefined ? [] : [sql`title = ${title}`]),
    ...(labels === undefined ? [] : [sql`labels = ${labels}::text[]`]),
    ...(groupId === undefined ? [] : [sql`group_id = ${groupId}`]),
  ];
  await changed(tx, sql`update bug_tickets set ${sql.join(changes)} where game_id = ${gameId} and bug_id = ${bugId}`);
}

/** Waits until no other transaction changes which tickets of the game are duplicates, and keeps others waiting. */
export async function lockDuplicates(tx: Tx, gameId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`bug_duplicates/${gameId}`}, 0))`);
}

/** The ticket that this one is about: its original, or itself. Undefined if the game has no such ticket. */
export async function findOriginal(tx: Tx, gameId: string, bugId: string): Promise<string | undefined> {
  const found = await row(
    tx,
    sql<{ id: string }>`select coalesce(duplicate_of, bug_id) as id from bug_tickets
      where game_id = ${gameId} and bug_id = ${bugId}`,
  );
  return found?.id;
}

/**
 * Makes the ticket and its duplicates duplicates of another one, and closes them. Null: the ticket is no longer a
 * duplicate.
 */
export async function setDuplicate(
  tx: Tx,
  gameId: string,
  bugId: string,
  originalId: string | null,
  now: Date,
): Promise<void> {
  await changed(
    tx,
    originalId === null
      ? sql`update bug_tickets set duplicate_of = null, updated_at = ${now}
          where game_id = ${gameId} and bug_id = ${bugId}`
      : sql`update bug_tickets set duplicate_of = ${originalId}, status = 'closed', fixed_in_version = null, updated_at = ${now}
          where game_id = ${gameId} and (bug_id = ${bugId} or duplicate_of = ${bugId})`,
  );
}

export type ReplyRow = {
  reply_id: string;
  user_name: string;
  agent_name: string | null;
  message: string;
  sent_at: Date;
};

/** The replies, oldest first. */
export function listReplies(db: Db, gameId: string, bugId: string): Promise<ReplyRow[]> {
  return rows(
    db,
    sql<ReplyRow>`select reply_id, user_name, agent_name, message, sent_at from bug_replies
      where game_id = ${gameId} and bug_id = ${bugId} order by reply_id`,
  );
}

/** The replies to a ticket, and replies to its original that were sent to players who filed duplicates as well. */
export function listRepliesTo(db: Db, gameId: string, bugId: string): Promise<ReplyRow[]> {
  return rows(
    db,
    sql<ReplyRow>`select reply_id, user_name, agent_name, message, sent_at from bug_replies
      where game_id = ${gameId} and (bug_id = ${bugId} or (to_duplicates and bug_id = (
        select duplicate_of from bug_tickets where game_id = ${gameId} and bug_id = ${bugId})))
      order by reply_id`,
  );
}

type NewReply = ReplyRow & { bugId: string; userId: string; toDuplicates: boolean };

export async function insertReply(tx: Tx, gameId: string, reply: NewReply): Promise<void> {
  await changed(
    tx,
    sql`insert into bug_replies (game_id, reply_id, bug_id, user_id, user_name, agent_name, message, sent_at, to_duplicates)
      values (${gameId}, ${reply.reply_id}, ${reply.bugId}, ${reply.userId}, ${reply.user_name}, ${reply.agent_name},
        ${reply.message}, ${reply.sent_at}, ${reply.toDuplicates})`,
  );
}

export type ReplyRecipient = {
  bug_id: string;
  email: string;
  number: number;
  title: string;
  message: string;
  language: string;
  /** Whether the address was left by a player without an account. */
  is_guest: boolean;
  /** Whether replies may be emailed: the address is that of an account, or confirmed, and was not unsubscribed. */
  confirmed: boolean;
  asked_at: Date | null;
  stopped_at: Date | null;
};

/** The maximum recipients of a reply. Most tickets have few duplicates, if any. */
const MAX_RECIPIENTS = 500;

/**
 * The addresses of the players who filed this ticket or, with `withDuplicates`, a duplicate of it; each once, the
 * confirmed ones first. Accounts need a verified address, and must not be disabled.
 */
export function listRecipients(
  db: Db,
  gameId: string,
  bugId: string,
  withDuplicates: boolean,
): Promise<ReplyRecipient[]> {
  return rows(
    db,
    sql<ReplyRecipient>`select * from (
        select distinct on (lower(email)) * from (
          select bug_id, number, title, message, language, reporter_email is not null as is_guest,
            coalesce(reporter_email, case when email_verified and disabled_at is null then users.email end) as email,
            stopped_at is null and (reporter_email is null or confirmed_at is not null) as confirmed,
            asked_at, stopped_at
          from bug_tickets left join users on users.id = bug_tickets.user_id
            left join bug_reporters on bug_reporters.game_id = bug_tickets.game_id
              and bug_reporters.address = lower(coalesce(reporter_email, users.email))
          where bug_tickets.game_id = ${gameId}
            and (bug_id = ${bugId} or (${withDuplicates} and duplicate_of = ${bugId}))
        ) as reporters where email is not null order by lower(email), confirmed desc, number
      ) as recipients order by confirmed desc, lower(email) limit ${MAX_RECIPIENTS}`,
  );
}

export async function acceptsGuests(db: Db, gameId: string): Promise<boolean> {
  const settings = await row(db, sql<{ guests: boolean }>`select guests from bug_settings where game_id = ${gameId}`);
  return settings?.guests ?? true;
}

export async function setGuests(db: Db, gameId: string, guests: boolean): Promise<void> {
  await changed(
    db,
    sql`insert into bug_settings (game_id, guests) values (${gameId}, ${guests})
      on conflict (game_id) do update set guests = excluded.guests`,
  );
}

/** The blobs of all screenshots, for backups. */
export const ticketBlobs = sql`select blob_key as key, size::bigint as size, null::text as sha256, null::text as packing
    from bug_screenshots where blob_key is not null
  union all select original_key, original_size::bigint, null, null from bug_screenshots where original_key is not null
  union all select blob_key, size, null, 'zstd' from bug_attachments`;
