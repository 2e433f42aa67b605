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

export async function insertReply(
  tx: Tx,
  gameId: string,
  bugId: string,
  userId: string,
  reply: ReplyRow,
): Promise<void> {
  await changed(
    tx,
    sql`insert into bug_replies (game_id, reply_id, bug_id, user_id, user_name, agent_name, message, sent_at)
      values (${gameId}, ${reply.reply_id}, ${bugId}, ${userId}, ${reply.user_name}, ${reply.agent_name},
        ${reply.message}, ${reply.sent_at})`,
  );
}

export type Recipient = { email: string; number: number; title: string; message: string; language: string };

/** Most tickets have no or a few duplicates. */
const MAX_RECIPIENTS = 500;

/**
 * The addresses of the players who filed this ticket or, with `withDuplicates`, a duplicate of it; each once. Accounts
 * need a verified address, and must not be disabled.
 */
export function listRecipients(db: Db, gameId: string, bugId: string, withDuplicates: boolean): Promise<Recipient[]> {
  return rows(
    db,
    sql<Recipient>`select distinct on (lower(email)) email, number, title, message, language from (
        select coalesce(reporter_email, case when email_verified and disabled_at is null then users.email end) as email,
            number, title, message, language
        from bug_tickets left join users on users.id = bug_tickets.user_id
        where game_id = ${gameId} and (bug_id = ${bugId} or (${withDuplicates} and duplicate_of = ${bugId}))
      ) as reporters where email is not null order by lower(email), number limit ${MAX_RECIPIENTS}`,
  );
}
