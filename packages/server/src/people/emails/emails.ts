// The gate through which every email goes (ADR 0031): it counts emails by recipient, account and game, and holds those
// that are over a limit, that their recipient has blocked, or that are for confirmed addresses only.
import { createHmac } from 'node:crypto';
import { errors } from '@chauffeur/contract/errors';
import { PAGES } from '@chauffeur/contract/pages';
import { textsOf } from '@chauffeur/contract/texts/catalogue';
import type { Context } from '../../context.ts';
import { DAY, HOUR, SECOND } from '../../kernel/clock.ts';
import type { Db, Tx } from '../../kernel/database/db.ts';
import type { Email } from '../../kernel/email/email.ts';
import { mailboxOf } from '../../kernel/email/mailbox.ts';
import { addJob } from '../../kernel/jobs/jobs.ts';
import { countLimit } from '../../kernel/limits/rate-limit.ts';
import { hashSecret } from '../../kernel/secrets/ids.ts';
import { deriveKey } from '../../kernel/secrets/signed-token.ts';
import { perContext } from '../../request/per-context.ts';
import { blockToken } from './email-blocks.ts';
import { type Bounds, boundsOf, type EmailKind, RULES } from './email-kinds.ts';
import * as sql from './emails.sql.ts';
import { sendEmailJob } from './send-email.job.ts';

/** The account and the game that cause a mail. */
export type Cause = {
  readonly accountId?: string;
  readonly gameId?: string;
  /** What the email reports. Emails of a kind about different things are counted apart. */
  readonly topic?: string;
};

/** What became of an email: it is on its way, or why it is not, and in how many seconds it could be. */
export type Verdict = { readonly held: null | 'limit' | 'blocked' | 'unconfirmed'; readonly retryAfter: number };

const SENT: Verdict = { held: null, retryAfter: 0 };
const UNCONFIRMED: Verdict = { held: 'unconfirmed', retryAfter: HOUR / SECOND };

const recipientKeyOf = perContext(({ secret }) => deriveKey(secret, 'recipients of mails'));

/** What a mailbox is counted by. It can't be computed without the secret. */
function recipientOf(ctx: Context, address: string): string {
  return createHmac('sha256', recipientKeyOf(ctx)).update(mailboxOf(address)).digest('base64url');
}

/**
 * Enqueues the emails that may be sent; they are sent if the transaction commits. The verdicts are in the order of the
 * mails. Of emails to one mailbox, only the first is sent. Throws `limitReached` if the account or the game has caused
 * too many.
 */
export async function enqueueEmails(
  ctx: Context,
  tx: Tx,
  kind: EmailKind,
  mails: readonly Email[],
  cause: Cause = {},
): Promise<Verdict[]> {
  if (mails.length === 0) return [];
  const admission = await judgeAll(ctx, tx, kind, mails, cause);
  for (const [index, mail] of mails.entries()) {
    const { verdict, isConfirmed } = admission[index]!;
    if (verdict.held === null) await addJob(tx, sendEmailJob, isConfirmed ? mail : withBlockLink(ctx, mail));
  }
  // Last, because all emails of a game lock one row.
  await countCause(ctx, tx, kind, admission, cause);
  return admission.map(({ verdict }) => verdict);
}

/** Enqueues an email if it may be sent. The caller's response doesn't depend on that. */
export async function enqueueEmail(ctx: Context, tx: Tx, kind: EmailKind, mail: Email, cause?: Cause): Promise<void> {
  await enqueueEmails(ctx, tx, kind, [mail], cause);
}

/** Enqueues a mail. Throws `limitReached` with `retry_after` in seconds if it may not be sent now. */
export async function requireEmail(ctx: Context, tx: Tx, kind: EmailKind, mail: Email, cause?: Cause): Promise<void> {
  const [{ held, retryAfter } = SENT] = await enqueueEmails(ctx, tx, kind, [mail], cause);
  if (held === null) return;
  throw errors.limitReached(
    `This address has had too many emails of this kind, or has asked for no more. Try again in ${retryAfter} s.`,
    { data: { retry_after: retryAfter } },
  );
}

/** Counts an email that is sent at once, by a job or to an operator. */
export async function admitEmail(
  ctx: Context,
  tx: Tx,
  kind: EmailKind,
  mail: Pick<Email, 'to'>,
  cause: Cause = {},
): Promise<Verdict> {
  const admission = await judgeAll(ctx, tx, kind, [mail], cause);
  await countCause(ctx, tx, kind, admission, cause);
  return admission[0]!.verdict;
}

type Admission = { readonly verdict: Verdict; readonly isConfirmed: boolean };

async function judgeAll(
  ctx: Context,
  tx: Tx,
  kind: EmailKind,
  mails: readonly Pick<Email, 'to'>[],
  cause: Cause,
): Promise<Admission[]> {
  const addresses = mails.map(({ to }) => to.trim().toLowerCase());
  const confirmed = await findConfirmed(tx, kind, addresses);
  const admission: Admission[] = Array(mails.length);
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
        ctx.log.warn({ kind, reason: verdict.held, ...cause }, 'a mail was over its limit, and not sent');
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
 * mailbox that is counted, only the first one gets a mail.
 */
async function judge(
  ctx: Context,
  tx: Tx,
  kind: EmailKind,
  addresses: readonly string[],
  isConfirmed: boolean,
  { gameId, topic }: Cause,
): Promise<Verdict[]> {
  const { to, perGame = false, canBeBlocked = false } = RULES[kind];
  if (!isConfirmed && to === 'verified') return addresses.map(() => UNCONFIRMED);
  const now = ctx.clock.now();
  const recipients = addresses.map((address) => recipientOf(ctx, address));
  const blocks = isConfirmed || !canBeBlocked ? new Map<string, Date>() : await findBlocks(tx, recipients, now);
  const suffix = perGame && isConfirmed && gameId !== undefined ? ` ${gameId}` : '';
  const subjects = recipients.filter((recipient) => !blocks.has(recipient)).map((recipient) => recipient + suffix);
  const counted = topic === undefined ? kind : `${kind} ${topic}`;
  const counts = await count(tx, counted, subjects, 1, boundsOf(kind, isConfirmed, ctx.config), now);
  return recipients.map((recipient, index): Verdict => {
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
  mails: number,
  bounds: Bounds,
  now: Date,
): Promise<Map<string, sql.CountRow>> {
  if (subjects.length === 0 || (bounds.hour === 0 && bounds.day === 0)) return new Map();
  const counted = await sql.countEmails(tx, { kind, subjects: [...new Set(subjects)], mails, bounds }, now);
  return new Map(counted.map((row) => [row.subject, row]));
}

function limited(waitMs: number): Verdict {
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
  const mails = admission.filter(({ verdict }) => verdict.held === null).length;
  if (mails === 0 || RULES[kind].isScheduled === true) return;
  const { limitAccountMails, limitGameMails } = ctx.config;
  const all = [
    { id: accountId, scope: 'account', label: 'mails_of_accounts', max: limitAccountMails },
    { id: gameId, scope: 'game', label: 'mails_of_games', max: limitGameMails },
  ] as const;
  for (const { id, scope, label, max } of all) {
    if (id === undefined || max === 0) continue;
    const now = ctx.clock.now();
    const subject = `${scope} ${id}`;
    const row = (await count(tx, scope, [subject], mails, { hour: max, day: 0 }, now)).get(subject)!;
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
function withBlockLink(ctx: Context, { html: _, ...mail }: Email): Email {
  const token = blockToken(ctx, recipientOf(ctx, mail.to));
  const page = `${ctx.publicUrl}${PAGES.blockMails.replace(':token', token)}`;
  const note = textsOf(mail.language ?? 'en').t('mail.block', { link: page });
  return {
    ...mail,
    text: `${mail.text.trimEnd()}\n\n-- \n${note}\n`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'List-Unsubscribe': `<${ctx.publicUrl}/api/v1/public/mails/block?token=${token}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      ...mail.headers,
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
