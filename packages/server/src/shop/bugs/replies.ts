// Replies of developers to the players who filed bug tickets: on the page of the ticket, and by email to confirmed
// addresses.
import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/bugs';
import { asLanguage } from '@chauffeur/contract/texts/messages';
import { transact } from '../../kernel/database/db.ts';
import { oneLine, quote } from '../../kernel/email/html-email.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { handle } from '../../request/route.ts';
import { findBug, insertReply, listRecipients } from './bugs.sql.ts';
import { replyRecord, unknownTicket } from './bugs.ts';
import { notifyPlayers } from './ticket-emails.ts';

/**
 * Throws `noReplyAddress` if no player who would get the reply has an address, and `limitReached` after too many within
 * an hour.
 */
export const replyToBug = handle(contract.replyToBug, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { bug_uid: bugId, message, to_duplicates: withDuplicates = false } = input;
  if ((await findBug(ctx.db, game.game_id, bugId)) === undefined) throw unknownTicket();
  const recipients = await listRecipients(ctx.db, game.game_id, bugId, withDuplicates);
  if (recipients.length === 0) throw errors.noReplyAddress();
  const now = ctx.clock.now();
  const reply = {
    reply_id: newId(now.getTime()),
    user_name: caller.user.name,
    agent_name: caller.agent?.name ?? null,
    message,
    sent_at: now,
  };
  const verdicts = await transact(ctx.db, async (tx) => {
    await insertReply(tx, game.game_id, { ...reply, bugId, userId: caller.user.id, toDuplicates: withDuplicates });
    return notifyPlayers(ctx, tx, {
      caller,
      game,
      recipients,
      write: (texts, { language }) => [
        texts.t('mail.bug', { name: oneLine(reply.user_name), game: quote(game.name, asLanguage(language)) }),
        message.trim(),
      ],
    });
  });
  const sent = verdicts.filter(({ held }) => held === null).length;
  return {
    reply: replyRecord(reply),
    mails: sent,
    unconfirmed: recipients.filter(({ confirmed }) => !confirmed).length,
    limited: verdicts.length - sent,
  };
});
