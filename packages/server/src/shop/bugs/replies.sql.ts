// The SQL of replies to bug tickets.
import { sql } from 'kysely';
import { changed, type Db, rows, type Tx } from '../../kernel/database/db.ts';

export type ReplyRow = {
  reply_id: string;
  user_name: string;
  agent_name: string | null;
  message: string;
  sent_at: Date;
};

/** Oldest first. */
export function listReplies(db: Db, gameId: string, bugId: string): Promise<ReplyRow[]> {
  return rows(
    db,
    sql<ReplyRow>`select reply_id, user_name, agent_name, message, sent_at from bug_replies
      where game_id = ${gameId} and bug_id = ${bugId} order by reply_id`,
  );
}

/** Replies to a ticket, and to the ticket that it is a duplicate of if they were for those who filed duplicates. */
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

export type Recipient = {
  bug_id: string;
  email: string;
  number: number;
  title: string;
  message: string;
  language: string;
  /** Whether a player without an account left the address. */
  is_guest: boolean;
  /** Whether replies may be mailed: the address is that of an account, or confirmed, and was not unsubscribed. */
  confirmed: boolean;
  asked_at: Date | null;
  stopped_at: Date | null;
};

/** Most tickets have no or a few duplicates. */
const MAX_RECIPIENTS = 500;

/**
 * The addresses of the players who filed this ticket or, with `withDuplicates`, a duplicate of it; each once, the
 * confirmed ones first. Accounts need a verified address, and must not be disabled.
 */
export function listRecipients(db: Db, gameId: string, bugId: string, withDuplicates: boolean): Promise<Recipient[]> {
  return rows(
    db,
    sql<Recipient>`select * from (
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
