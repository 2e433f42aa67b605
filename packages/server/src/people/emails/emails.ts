// The outbox: the gate through which every email goes (ADR 0031). It counts emails by recipient, account and game, and
// holds an email that is over a limit, blocked by its recipient, or for confirmed addresses only.
//
// An email takes this way:
//
// - Judged: in the transaction of the change that causes it. Its recipient is confirmed or not, which decides the
//   limits (email-kinds.ts). A recipient is counted by mailbox, so that variants of one address count as one, and by a
//   keyed hash, so that the table doesn't contain addresses.
// - Held: it is over a limit, blocked, or its address is unconfirmed. It is dropped and counted in the metrics, not
//   kept: the caller of the change gets the same response, so no caller learns what an address is used for.
// - Queued: a job in the same transaction. If the change is rolled back, so are the email and its counts.
// - Sent: the job has passed it to the email server. Before that, it is retried for a day. The server may get it
//   twice if the process dies in between; the Message-ID then is the same if the email has an id.
//
// The rows of the counts are locked in one order until the transaction ends: first those of recipients, then the one of
// the account or game, which all its emails share. Emails to unconfirmed addresses are plain text and have a link that
// blocks further ones for a month.

import { createHmac } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/accounts';
import { PAGES } from '@chauffeur/contract/pages';
import { textsOf } from '@chauffeur/contract/texts/catalogue';
import type { Context } from '../../context.ts';
import { DAY, HOUR, SECOND } from '../../kernel/clock.ts';
import type { Db, Tx } from '../../kernel/database/db.ts';
import type { Email } from '../../kernel/email/email.ts';
import { addJob, defineJob } from '../../kernel/jobs/jobs.ts';
import { countLimit } from '../../kernel/limits/rate-limit.ts';
import { hashSecret } from '../../kernel/secrets/ids.ts';
import { deriveKey, openToken, signToken } from '../../kernel/secrets/signed-token.ts';
import { perContext } from '../../request/per-context.ts';
import { answer } from '../../request/perform.ts';
import { stream } from '../../request/route.ts';
import { type Bounds, boundsOf, type EmailKind, RULES } from './email-kinds.ts';
import * as sql from './emails.sql.ts';
import { deleteExpired } from './emails.sql.ts';

/** The account and the game that cause an email. */
export type Cause = {
  readonly accountId?: string;
  readonly gameId?: string;
  /** What the email reports. Emails of a kind about different things are counted apart. */
  readonly topic?: string;
};

/** What became of an email: it is on its way, or why it is not, and in how many seconds it could be. */
export type SendVerdict = { readonly held: null | 'limit' | 'blocked' | 'unconfirmed'; readonly retryAfter: number };

const SENT: SendVerdict = { held: null, retryAfter: 0 };
const UNCONFIRMED: SendVerdict = { held: 'unconfirmed', retryAfter: HOUR / SECOND };

const recipientKeyOf = perContext(({ secret }) => deriveKey(secret, 'recipients of mails'));

/** What a mailbox is counted by. It can't be computed without the secret. */
function recipientOf(ctx: Context, address: string): string {
  return createHmac('sha256', recipientKeyOf(ctx)).update(mailboxOf(address)).digest('base64url');
}

/**
 * Enqueues the emails that may be sent; they are sent if the transaction commits. The verdicts are in the order of the
 * emails. Of emails to one mailbox, only the first is sent. Throws `limitReached` if the account or the game has caused
 * too many.
 */
export async function enqueueEmails(
  ctx: Context,
  tx: Tx,
  kind: EmailKind,
  emails: readonly Email[],
  cause: Cause = {},
): Promise<SendVerdict[]> {
  if (emails.length === 0) return [];
  const admission = await judgeAll(ctx, tx, kind, emails, cause);
  for (const [index, email] of emails.entries()) {
    const { verdict, isConfirmed } = admission[index]!;
    if (verdict.held === null) await addJob(tx, sendEmailJob, isConfirmed ? email : withBlockLink(ctx, email));
  }
  // Last, because all emails of a game lock one row.
  await countCause(ctx, tx, kind, admission, cause);
  return admission.map(({ verdict }) => verdict);
}

/** Enqueues an email if it may be sent. The caller's response doesn't depend on that. */
export async function enqueueEmail(ctx: Context, tx: Tx, kind: EmailKind, email: Email, cause?: Cause): Promise<void> {
  await enqueueEmails(ctx, tx, kind, [email], cause);
}

/** Enqueues an email. Throws `limitReached` with `retry_after` in seconds if it may not be sent now. */
export async function requireEmail(ctx: Context, tx: Tx, kind: EmailKind, email: Email, cause?: Cause): Promise<void> {
  const [{ held, retryAfter } = SENT] = await enqueueEmails(ctx, tx, kind, [email], cause);
  if (held === null) return;
  throw errors.limitReached(
    `This address has had too many emails of this kind, or does not want any more. Try again in ${retryAfter} s.`,
    { data: { retry_after: retryAfter } },
  );
}

/** Counts an email that is sent at once, by a job or to an operator. */
export async function admitEmail(
  ctx: Context,
  tx: Tx,
  kind: EmailKind,
  email: Pick<Email, 'to'>,
  cause: Cause = {},
): Promise<SendVerdict> {
  const admission = await judgeAll(ctx, tx, kind, [email], cause);
  await countCause(ctx, tx, kind, admission, cause);
  return admission[0]!.verdict;
}

type Admission = { readonly verdict: SendVerdict; readonly isConfirmed: boolean };

async function judgeAll(
  ctx: Context,
  tx: Tx,
  kind: EmailKind,
  emails: readonly Pick<Email, 'to'>[],
  cause: Cause,
): Promise<Admission[]> {
  const addresses = emails.map(({ to }) => to.trim().toLowerCase());
  const confirmed = await findConfirmed(tx, kind, addresses);
  const admission: Admission[] = Array(emails.length);
  for (const isConfirmed of [false, true]) {
    const places = [...addresses.keys()].filter((place) => confirmed.has(addresses[place]!) === isConfirmed);
    const group = places.map((place) => addresses[place]!);
    const verdicts = await judge(ctx, tx, kind, group, isConfirmed, cause);
    for (const [index, place] of places.entries()) admission[place] = { verdict: verdicts[index]!, isConfirmed };
  }
  for (const { verdict, isConfirmed } of admission)
    if (verdict.held !== null) {
      ctx.metrics.mailsHeld.inc({ kind, reason: verdict.held });
      // The log doesn't contain the address. Anyone can cause these of unconfirmed addresses, so they would fill the
      // log.
      if (isConfirmed)
        ctx.log.warn({ kind, reason: verdict.held, ...cause }, 'an email was over its limit, and not sent');
    }
  return admission;
}

/** The addresses of emails of this kind whose owners have confirmed them. */
async function findConfirmed(tx: Tx, kind: EmailKind, addresses: readonly string[]): Promise<ReadonlySet<string>> {
  const { to } = RULES[kind];
  if (to === 'anyone') return new Set();
  return to === 'consenting' ? new Set(addresses) : sql.findVerified(tx, addresses);
}

/**
 * The verdicts on addresses that are all confirmed, or all unconfirmed, in their order. Of several addresses of a
 * mailbox that is counted, only the first one gets an email.
 */
async function judge(
  ctx: Context,
  tx: Tx,
  kind: EmailKind,
  addresses: readonly string[],
  isConfirmed: boolean,
  { gameId, topic }: Cause,
): Promise<SendVerdict[]> {
  const { to, perGame = false, canBeBlocked = false } = RULES[kind];
  if (!isConfirmed && to === 'verified') return addresses.map(() => UNCONFIRMED);
  const now = ctx.clock.now();
  const recipients = addresses.map((address) => recipientOf(ctx, address));
  const blocks = isConfirmed || !canBeBlocked ? new Map<string, Date>() : await findBlocks(tx, recipients, now);
  const suffix = perGame && isConfirmed && gameId !== undefined ? ` ${gameId}` : '';
  const subjects = recipients.filter((recipient) => !blocks.has(recipient)).map((recipient) => recipient + suffix);
  const counted = topic === undefined ? kind : `${kind} ${topic}`;
  const counts = await count(tx, counted, subjects, 1, boundsOf(kind, isConfirmed, ctx.config), now);
  return recipients.map((recipient, index): SendVerdict => {
    const until = blocks.get(recipient);
    if (until !== undefined) return { ...limited(until.getTime() - now.getTime()), held: 'blocked' };
    const row = counts.get(recipient + suffix);
    const isFirst = recipients.indexOf(recipient) === index;
    return row === undefined || (row.admitted && isFirst) ? SENT : limited(waitOf(row, now));
  });
}

async function findBlocks(tx: Tx, recipients: readonly string[], now: Date): Promise<Map<string, Date>> {
  const blocks = await sql.findBlocks(tx, recipients, now);
  return new Map(blocks.map(({ recipient, blocked_until }) => [recipient, blocked_until]));
}

async function count(
  tx: Tx,
  kind: string,
  subjects: readonly string[],
  emails: number,
  bounds: Bounds,
  now: Date,
): Promise<Map<string, sql.CountRow>> {
  if (subjects.length === 0 || (bounds.hour === 0 && bounds.day === 0)) return new Map();
  const counted = await sql.countEmails(tx, { kind, subjects: [...new Set(subjects)], emails, bounds }, now);
  return new Map(counted.map((row) => [row.subject, row]));
}

function limited(waitMs: number): SendVerdict {
  return { held: 'limit', retryAfter: Math.max(1, Math.ceil(waitMs / SECOND)) };
}

/** The time until the hour ends, or the day if no more emails are left of it. */
function waitOf({ hour_start: start, day_is_full: isFull }: sql.CountRow, now: Date): number {
  const time = now.getTime();
  return isFull ? DAY - (time % DAY) : start.getTime() + HOUR - time;
}

/**
 * Throws `limitReached`. The emails of recipients are counted first, so that refused ones don't use up what a game may
 * send.
 */
async function countCause(
  ctx: Context,
  tx: Tx,
  kind: EmailKind,
  admission: readonly Admission[],
  { accountId, gameId }: Cause,
): Promise<void> {
  const emails = admission.filter(({ verdict }) => verdict.held === null).length;
  if (emails === 0 || RULES[kind].isScheduled === true) return;
  const { limitAccountMails, limitGameMails } = ctx.config;
  const all = [
    { id: accountId, scope: 'account', label: 'mails_of_accounts', max: limitAccountMails },
    { id: gameId, scope: 'game', label: 'mails_of_games', max: limitGameMails },
  ] as const;
  for (const { id, scope, label, max } of all) {
    if (id === undefined || max === 0) continue;
    const now = ctx.clock.now();
    const subject = `${scope} ${id}`;
    const row = (await count(tx, scope, [subject], emails, { hour: max, day: 0 }, now)).get(subject)!;
    if (countLimit(ctx.metrics, label, row.admitted)) continue;
    const { retryAfter } = limited(waitOf(row, now));
    throw errors.limitReached(
      `This ${scope} has reached its limit of ${max} emails an hour. Try again in ${retryAfter} s.`,
      { data: { retry_after: retryAfter } },
    );
  }
}

/**
 * The email is sent as plain text: a stranger's name in it has no links, and the email says how to get no more of them.
 */
function withBlockLink(ctx: Context, { html: _, ...email }: Email): Email {
  const token = blockToken(ctx, recipientOf(ctx, email.to));
  const page = `${ctx.publicUrl}${PAGES.blockMails.replace(':token', token)}`;
  const note = textsOf(email.language ?? 'en').t('mail.block', { link: page });
  return {
    ...email,
    text: `${email.text.trimEnd()}\n\n-- \n${note}\n`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'List-Unsubscribe': `<${ctx.publicUrl}/api/v1/public/mails/block?token=${token}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      ...email.headers,
    },
  };
}

/** Uses a link that works once and expires then. False if it was used before. */
export function useLink(tx: Tx, token: string, expiresAt: Date): Promise<boolean> {
  return sql.insertUsedLink(tx, hashSecret(token), expiresAt);
}

export function isUsedLink(db: Db, token: string): Promise<boolean> {
  return sql.isUsedLink(db, hashSecret(token));
}

/** Then the owner of the address can sign up or follow a game again, even without the link. */
const BLOCK_MS = 30 * DAY;

const keyOf = perContext(({ secret }) => deriveKey(secret, 'blocks of mails'));

/** It never expires, like the email that has it. */
export function blockToken(ctx: Context, recipient: string): string {
  return signToken(keyOf(ctx), Buffer.from(recipient, 'base64url'));
}

/** Whether the address of the link takes only emails that it has confirmed. Throws `notFound`. */
export async function isBlocked(ctx: Context, token: string): Promise<boolean> {
  return (await sql.findBlocks(ctx.db, [recipientIn(ctx, token)], ctx.clock.now())).length > 0;
}

/** The body that email programs send is ignored. Throws `notFound`. */
export const blockMails = stream(contract.blockMails, async (ctx, { input }) => {
  await setBlock(ctx, input.token);
  return answer(200, {});
});

/** Throws `notFound`. */
export async function setBlock(ctx: Context, token: string): Promise<void> {
  await sql.blockRecipient(ctx.db, recipientIn(ctx, token), new Date(ctx.clock.now().getTime() + BLOCK_MS));
}

/** Takes a block back. Throws `notFound`. */
export async function allowEmails(ctx: Context, token: string): Promise<void> {
  await sql.deleteBlock(ctx.db, recipientIn(ctx, token));
}

function recipientIn(ctx: Context, token: string): string {
  const payload = openToken(keyOf(ctx), token);
  if (payload === null) throw errors.notFound('token: this link is incomplete.');
  return payload.toString('base64url');
}

export const sendEmailJob = defineJob('accounts:send-mail', { attempts: 12 }, sendEmail);

export async function sendEmail(ctx: Context, email: Email): Promise<void> {
  await ctx.mailer.send(email);
}

export const dropEmailCountsJob = defineJob(
  'accounts:drop-mail-counts',
  { attempts: 3, cron: '51 * * * *', lane: 'long', deletesOld: true },
  dropEmailCounts,
);

export async function dropEmailCounts({ db, clock }: Context): Promise<void> {
  await deleteExpired(db, clock.now());
}

/** Its domains deliver to the same mailboxes, and ignore dots (support.google.com/mail/answer/7436150). */
// cspell:ignore googlemail
const GMAIL = new Set(['gmail.com', 'googlemail.com']);

/**
 * The address in lower case, without the tag after a plus sign, which most email servers ignore; of Gmail, also without
 * dots. Emails are never sent to the result: two addresses with the same one may have different owners, who then share
 * their limits.
 */
export function mailboxOf(address: string): string {
  const normal = address.trim().normalize('NFKC').toLowerCase();
  const at = normal.lastIndexOf('@');
  const domain = normal.slice(at + 1).replace(/\.+$/, '');
  const ascii = domainToASCII(domain) || domain;
  const [user = ''] = /^.[^+]*/su.exec(normal.slice(0, at)) ?? [];
  return GMAIL.has(ascii) ? `${user.replaceAll('.', '')}@gmail.com` : `${user}@${ascii}`;
}
