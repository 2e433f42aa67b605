// Emails about bug tickets: replies and fixes to the players who filed them, and assignments to members.
import { PAGES } from '@chauffeur/contract/pages';
import { textsOf } from '@chauffeur/contract/texts/catalogue';
import { asLanguage } from '@chauffeur/contract/texts/messages';
import type { Texts } from '@chauffeur/contract/texts/texts';
import type { AccountCaller, Context } from '../../context.ts';
import type { Tx } from '../../kernel/database/db.ts';
import type { Email } from '../../kernel/email/email.ts';
import { oneLine, quote } from '../../kernel/email/html-email.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { enqueueEmails, type SendVerdict } from '../../people/emails/emails.ts';
import { listReachable } from '../../people/game-access/game-access.sql.ts';
import type { Game } from '../../people/game-access/game-access.ts';
import { listRecipients, type ReplyRecipient } from './bugs.sql.ts';
import { askAgain, endLinks, ticketPage } from './reporters.ts';

const PLAYER_LIMIT = { name: 'replies', max: 100, windowSeconds: 3600 } as const;
const ASSIGNMENT_LIMIT = { name: 'mentions and assignments', scope: 'account', max: 200, windowSeconds: 3600 } as const;
/** The number of characters of the player's message that an email quotes. */
const QUOTED_LENGTH = 1000;

type News = {
  readonly caller: AccountCaller;
  readonly game: Game;
  readonly recipients: readonly ReplyRecipient[];
  /** Writes the paragraphs of the email for a recipient. */
  readonly write: (texts: Texts, recipient: ReplyRecipient) => string[];
};

/**
 * Emails players with a confirmed address, and asks guests without one to confirm it. Throws `limitReached` after too
 * many within an hour. Returns what became of each email.
 */
export async function notifyPlayers(
  ctx: Context,
  tx: Tx,
  { caller, game, recipients, write }: News,
): Promise<SendVerdict[]> {
  await countUse(ctx, tx, game.game_id, PLAYER_LIMIT);
  await askAgain(
    ctx,
    tx,
    game,
    recipients.filter(({ confirmed, is_guest: isGuest }) => !confirmed && isGuest),
  );
  const emails = recipients
    .filter(({ confirmed }) => confirmed)
    .map((recipient) => emailToPlayer(ctx, recipient, game, write));
  return enqueueEmails(ctx, tx, 'reply', emails, { accountId: caller.user.id, gameId: game.game_id });
}

function emailToPlayer(ctx: Context, recipient: ReplyRecipient, game: Game, write: News['write']): Email {
  const { bug_id: bugId, email, number, title, message, language: stored } = recipient;
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
      ...write(texts, recipient),
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

type Fix = {
  readonly caller: AccountCaller;
  readonly game: Game;
  readonly bugId: string;
  /** The version with the fix; null if it isn't known. */
  readonly version: string | null;
};

/** Emails the player, and the players who filed duplicates, that the bug is fixed. Throws `limitReached`. */
export async function sendFixed(ctx: Context, tx: Tx, { caller, game, bugId, version }: Fix): Promise<void> {
  const recipients = await listRecipients(tx, game.game_id, bugId, true);
  if (recipients.length === 0) return;
  await notifyPlayers(ctx, tx, {
    caller,
    game,
    recipients,
    write: (texts, { language }) => [
      texts.t('mail.bug.fixed', { name: oneLine(caller.user.name), game: quote(game.name, asLanguage(language)) }),
      ...(version === null ? [] : [texts.t('mail.bug.fixed.version', { version: oneLine(version) })]),
    ],
  });
}

type Assignment = {
  readonly caller: AccountCaller;
  readonly game: Game;
  /** The new assignee. */
  readonly userId: string;
  readonly bugId: string;
  readonly number: number;
  readonly title: string;
};

/** Emails the new assignee, unless they assigned the ticket to themselves. Throws `limitReached`. */
export async function sendAssignment(
  ctx: Context,
  tx: Tx,
  { caller, game, userId, bugId, number, title }: Assignment,
): Promise<void> {
  const { user, agent } = caller;
  if (userId === user.id) return;
  const assignee = (await listReachable(tx, game.game_id)).find(({ user_id }) => user_id === userId);
  if (assignee === undefined) return;
  await countUse(ctx, tx, user.id, ASSIGNMENT_LIMIT);
  const author = agent === undefined ? user.name : `${user.name} (with ${quote(agent.name)})`;
  const page = PAGES.bug.replace(':uid', game.slug).replace(':bug_uid', bugId);
  const email = {
    to: assignee.email,
    subject: oneLine(`${user.name} assigned bug #${number} of ${game.name} to you`),
    text: [
      `${author} assigned the bug ticket #${number} of ${quote(game.name)} to you:`,
      `${oneLine(title)}\n${ctx.publicUrl}${page}\n`,
    ].join('\n\n'),
  };
  await enqueueEmails(ctx, tx, 'mention', [email], { accountId: user.id, gameId: game.game_id });
}
