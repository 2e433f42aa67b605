// Replies of developers to the players who filed bug tickets: on the page of the ticket, and by email to confirmed
// addresses.
import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/bugs';
import { textsOf } from '@chauffeur/contract/texts/catalogue';
import { asLanguage } from '@chauffeur/contract/texts/messages';
import type { Context } from '../../context.ts';
import { transact } from '../../kernel/database/db.ts';
import type { Email } from '../../kernel/email/email.ts';
import { oneLine, quote } from '../../kernel/email/html-email.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { enqueueEmails } from '../../people/emails/emails.ts';
import { type Game, requireMember } from '../../people/game-access/game-access.ts';
import { handle } from '../../request/route.ts';
import { findBug, insertReply, listRecipients, type ReplyRecipient } from './bugs.sql.ts';
import { replyRecord, unknownTicket } from './bugs.ts';
import { askAgain, endLinks, ticketPage } from './reporters.ts';

const LIMIT = { name: 'replies', max: 100, windowSeconds: 3600 } as const;
/** The number of characters of the player's message that a reply quotes. */
const QUOTED_LENGTH = 1000;

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
  const [confirmed, unconfirmed] = [true, false].map((state) => recipients.filter((each) => each.confirmed === state));
  const reply = {
    reply_id: newId(now.getTime()),
    user_name: caller.user.name,
    agent_name: caller.agent?.name ?? null,
    message,
    sent_at: now,
  };
  const verdicts = await transact(ctx.db, async (tx) => {
    await countUse(ctx, tx, game.game_id, LIMIT);
    await insertReply(tx, game.game_id, {
      ...reply,
      bugId,
      userId: caller.user.id,
      toDuplicates: withDuplicates,
    });
    await askAgain(
      ctx,
      tx,
      game,
      unconfirmed!.filter((each) => each.is_guest),
    );
    const emails = confirmed!.map((recipient) => replyEmail(ctx, recipient, game, reply));
    return enqueueEmails(ctx, tx, 'reply', emails, { accountId: caller.user.id, gameId: game.game_id });
  });
  const sent = verdicts.filter(({ held }) => held === null).length;
  return {
    reply: replyRecord(reply),
    mails: sent,
    unconfirmed: unconfirmed!.length,
    limited: verdicts.length - sent,
  };
});

function replyEmail(
  ctx: Context,
  { bug_id: bugId, email, number, title, message, language: stored }: ReplyRecipient,
  game: Game,
  reply: { user_name: string; message: string },
): Email {
  const ending = endLinks(ctx, game.game_id, email);
  const language = asLanguage(stored);
  const texts = textsOf(language);
  const about = title === '' ? texts.t('mail.bug.about', { game: game.name }) : title;
  return {
    to: email,
    language,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'List-Unsubscribe': `<${ending.end}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
    subject: oneLine(texts.t('mail.bug.subject', { about, number: String(number) })),
    text: [
      texts.t('mail.bug', { name: oneLine(reply.user_name), game: quote(game.name, language) }),
      reply.message.trim(),
      `${texts.t('mail.bug.report')}\n\n${quoted(message)}`,
      texts.t('mail.bug.page', { link: ticketPage(ctx, game.game_id, bugId) }),
      `-- \n${texts.t('mail.bug.why')}\n${texts.t('mail.unsubscribe', { link: ending.page })}\n`,
    ].join('\n\n'),
  };
}

/** Quotes the beginning of a message, with a `>` before each line (RFC 3676, section 4.5). */
function quoted(message: string): string {
  const [...characters] = message.trim();
  const start = characters.slice(0, QUOTED_LENGTH).join('');
  return (characters.length > QUOTED_LENGTH ? `${start}…` : start)
    .split(/\r?\n/)
    .map((line) => `> ${line}`)
    .join('\n');
}
