// What players who reported bugs can do without an account: read their tickets, and confirm or end replies by email.
// And the SQL of the addresses that they left.

import { type ApiError, errors } from '@chauffeur/contract/errors';
import type { BUG_STATUSES } from '@chauffeur/contract/operations/bugs';
import * as contract from '@chauffeur/contract/operations/bugs';
import { PAGES } from '@chauffeur/contract/pages';
import { textsOf } from '@chauffeur/contract/texts/catalogue';
import { asLanguage, type Language } from '@chauffeur/contract/texts/messages';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import { changed, type Db, isMissingReference, row, rows, type Tx, transact } from '../../kernel/database/db.ts';
import type { Email } from '../../kernel/email/email.ts';
import { plainName, quote } from '../../kernel/email/html-email.ts';
import { deriveKey, isCurrent, openToken, signToken } from '../../kernel/secrets/signed-token.ts';
import { enqueueEmails, isUsedLink, useLink } from '../../people/emails/emails.ts';
import { findGame } from '../../people/game-access/game-access.sql.ts';
import type { Game } from '../../people/game-access/game-access.ts';
import { countPublicPost } from '../../request/address-limit.ts';
import { perContext } from '../../request/per-context.ts';
import { answer } from '../../request/perform.ts';
import { handle, stream } from '../../request/route.ts';
import { listRepliesTo, type ReplyRow } from './bugs.sql.ts';

/** How long a link confirms an address. */
const CONFIRM_MS = 7 * DAY;
/** A reply asks again to confirm an address only after this time. */
const ASK_AGAIN_MS = DAY;

const ticketKeyOf = perContext(({ secret }) => deriveKey(secret, 'bug tickets of players'));
const confirmKeyOf = perContext(({ secret }) => deriveKey(secret, 'replies to bug tickets'));
const endKeyOf = perContext(({ secret }) => deriveKey(secret, 'end of replies to bug tickets'));

/** The page of a ticket for the player who filed it. It works as long as the ticket exists. */
export function ticketPage(ctx: Context, gameId: string, bugId: string): string {
  const token = signToken(ticketKeyOf(ctx), Buffer.from(JSON.stringify([gameId, bugId])));
  return `${ctx.publicUrl}${PAGES.ticket.replace(':token', token)}`;
}

/** The links that end replies by email: a page that asks first, and what email programs call by a POST. */
export function endLinks(ctx: Context, gameId: string, address: string): { page: string; end: string } {
  const token = signToken(endKeyOf(ctx), Buffer.from(JSON.stringify([gameId, address.toLowerCase()])));
  return {
    page: `${ctx.publicUrl}${PAGES.endReplies.replace(':token', token)}`,
    end: `${ctx.publicUrl}/api/v1/public/bugs/stop?token=${token}`,
  };
}

export type Unconfirmed = { readonly email: string; readonly language: string };

/** Asks to confirm the address of a new ticket, unless it is confirmed. The response doesn't depend on that. */
export async function askReporter(ctx: Context, tx: Tx, game: Game, reporter: Unconfirmed): Promise<void> {
  const known = await lockReporter(tx, game.game_id, reporter.email.toLowerCase());
  if (known?.confirmed_at == null || known.stopped_at !== null) await ask(ctx, tx, game, [reporter]);
}

/** An account that unsubscribed gets replies again, because it files another ticket. */
export async function resumeReplies(tx: Tx, gameId: string, email: string): Promise<void> {
  await clearStopped(tx, gameId, email.toLowerCase());
}

/** Asks players to confirm their addresses because there is a reply, unless they were asked lately or unsubscribed. */
export async function askAgain(
  ctx: Context,
  tx: Tx,
  game: Game,
  reporters: readonly (Unconfirmed & { asked_at: Date | null; stopped_at: Date | null })[],
): Promise<void> {
  const before = new Date(ctx.clock.now().getTime() - ASK_AGAIN_MS);
  await ask(
    ctx,
    tx,
    game,
    reporters.filter(({ asked_at: at, stopped_at: stopped }) => stopped === null && (at === null || at < before)),
  );
}

async function ask(ctx: Context, tx: Tx, game: Game, reporters: readonly Unconfirmed[]): Promise<void> {
  if (reporters.length === 0) return;
  const now = ctx.clock.now();
  const emails = reporters.map(({ email, language }) => {
    const token = signToken(
      confirmKeyOf(ctx),
      Buffer.from(JSON.stringify([game.game_id, email.toLowerCase(), now.getTime() + CONFIRM_MS])),
    );
    const link = `${ctx.publicUrl}${PAGES.confirmReplies.replace(':token', token)}`;
    return confirmationEmail(email, asLanguage(language), game, link);
  });
  const verdicts = await enqueueEmails(ctx, tx, 'ticket', emails, { gameId: game.game_id });
  const asked = emails.filter((_, index) => verdicts[index]?.held === null).map(({ to }) => to.toLowerCase());
  await setAsked(tx, game.game_id, asked, now);
}

function confirmationEmail(to: string, language: Language, game: { readonly name: string }, link: string): Email {
  const texts = textsOf(language);
  return {
    to,
    language,
    subject: texts.t('mail.ticket.subject', { game: plainName(game.name) }),
    text: [
      texts.t('mail.ticket', { game: quote(plainName(game.name), language) }),
      link,
      `${texts.t('mail.ticket.ignore')}\n`,
    ].join('\n\n'),
  };
}

/** A ticket as the player who filed it sees it. */
export type FiledTicket = FiledTicketRow & {
  readonly game: Game;
  readonly replies: readonly ReplyRow[];
  /** Whether the ticket has an address that isn't confirmed. */
  readonly isUnconfirmed: boolean;
};

/** Reads the ticket of a page. Throws `notFound`. */
export async function readFiledTicket(ctx: Context, token: string): Promise<FiledTicket> {
  const [gameId = '', bugId = ''] = open(ticketKeyOf(ctx), token) as string[];
  const [game, ticket] = await Promise.all([findGame(ctx.db, gameId), findFiledTicket(ctx.db, gameId, bugId)]);
  if (game === null || ticket === undefined) throw unknownLink();
  const { address } = ticket;
  const [replies, canGetReplies] = await Promise.all([
    listRepliesTo(ctx.db, gameId, bugId),
    address === null || isConfirmed(ctx.db, gameId, address),
  ]);
  return { ...ticket, game, replies, isUnconfirmed: !canGetReplies };
}

type Confirmation = { readonly game: Game; readonly address: string; readonly expiresAt: Date };

async function openConfirmation(ctx: Context, token: string): Promise<Confirmation> {
  const [gameId, address, expires] = open(confirmKeyOf(ctx), token) as [string, string, number];
  const game = isCurrent(expires, CONFIRM_MS, ctx.clock.now()) ? await findGame(ctx.db, gameId) : null;
  if (game === null) throw unknownLink();
  return { game, address, expiresAt: new Date(expires) };
}

/**
 * What a link confirms and, once it was used, the tickets with the address. Throws `notFound` if it was used and the
 * address is no longer confirmed.
 */
export async function readReplyConfirmation(
  ctx: Context,
  token: string,
): Promise<Confirmation & { tickets: (OwnTicket & { page: string })[] | null }> {
  const confirmation = await openConfirmation(ctx, token);
  const { game, address } = confirmation;
  if (!(await isUsedLink(ctx.db, token))) return { ...confirmation, tickets: null };
  if (!(await isConfirmed(ctx.db, game.game_id, address))) throw unknownLink();
  const tickets = await listTicketsOf(ctx.db, game.game_id, address);
  return {
    ...confirmation,
    tickets: tickets.map((ticket) => ({ ...ticket, page: ticketPage(ctx, game.game_id, ticket.bug_id) })),
  };
}

/**
 * Confirms the address. Using the link again changes nothing as long as the address is confirmed. Throws `notFound`.
 */
export const confirmReplies = handle(
  contract.confirmReplies,
  async (ctx, { input: { token } }) => {
    const { game, address, expiresAt } = await openConfirmation(ctx, token);
    await transact(ctx.db, async (tx) => {
      if (await useLink(tx, token, expiresAt)) await setConfirmed(tx, game.game_id, address, ctx.clock.now());
      else if (!(await isConfirmed(tx, game.game_id, address))) throw unknownLink();
    });
    return { slug: game.slug, name: game.name };
  },
  countPublicPost,
);

/** The game of a link that ends replies by email; null if they were ended. Throws `notFound`. */
export async function readReplyEnding(ctx: Context, token: string): Promise<Game | null> {
  const [gameId = '', address = ''] = open(endKeyOf(ctx), token) as string[];
  return (await isStopped(ctx.db, gameId, address)) ? null : findGame(ctx.db, gameId);
}

/** Ignores the body, which email programs send. Throws `notFound`. */
export const endReplies = stream(contract.endReplies, async (ctx, { input }) => {
  await stopReplies(ctx, input.token);
  return answer(200, {});
});

/** Throws `notFound`. */
export async function stopReplies(ctx: Context, token: string): Promise<void> {
  const [gameId = '', address = ''] = open(endKeyOf(ctx), token) as string[];
  try {
    await setStopped(ctx.db, gameId, address, ctx.clock.now());
  } catch (error) {
    // The game was deleted in the meantime.
    if (isMissingReference(error)) throw unknownLink();
    throw error;
  }
}

function open(key: Buffer, token: string): unknown {
  const payload = openToken(key, token);
  if (payload === null) throw unknownLink();
  return JSON.parse(payload.toString());
}

function unknownLink(): ApiError {
  return errors.notFound('token: this link is incomplete, was used, has expired, or its ticket no longer exists.');
}

export type ReporterRow = { asked_at: Date | null; confirmed_at: Date | null; stopped_at: Date | null };

/** The state of an address, in lower case, in a game. Locks it until the transaction ends; undefined without a row. */
export function lockReporter(tx: Tx, gameId: string, address: string): Promise<ReporterRow | undefined> {
  return row(
    tx,
    sql<ReporterRow>`select asked_at, confirmed_at, stopped_at from bug_reporters
      where game_id = ${gameId} and address = ${address} for update`,
  );
}

export async function isStopped(db: Db, gameId: string, address: string): Promise<boolean> {
  const found = await row(
    db,
    sql`select from bug_reporters where game_id = ${gameId} and address = ${address} and stopped_at is not null`,
  );
  return found !== undefined;
}

export async function isConfirmed(db: Db, gameId: string, address: string): Promise<boolean> {
  const found = await row(
    db,
    sql`select from bug_reporters
      where game_id = ${gameId} and address = ${address} and confirmed_at is not null and stopped_at is null`,
  );
  return found !== undefined;
}

export async function setAsked(tx: Tx, gameId: string, addresses: readonly string[], now: Date): Promise<void> {
  await changed(
    tx,
    sql`insert into bug_reporters (game_id, address, asked_at)
      select ${gameId}, address, ${now} from unnest(${addresses}::text[]) as given (address) order by address
      on conflict (game_id, address) do update set asked_at = excluded.asked_at`,
  );
}

export async function setConfirmed(tx: Tx, gameId: string, address: string, now: Date): Promise<void> {
  await changed(
    tx,
    sql`insert into bug_reporters (game_id, address, confirmed_at) values (${gameId}, ${address}, ${now})
      on conflict (game_id, address) do update set confirmed_at = excluded.confirmed_at, stopped_at = null`,
  );
}

/** Ends emails to an address, with replies or questions to confirm it, until another ticket has the address. */
export async function setStopped(db: Db, gameId: string, address: string, now: Date): Promise<void> {
  await changed(
    db,
    sql`insert into bug_reporters (game_id, address, stopped_at) values (${gameId}, ${address}, ${now})
      on conflict (game_id, address) do update set stopped_at = excluded.stopped_at, confirmed_at = null`,
  );
}

/** Sends replies again to an account that files another ticket. */
export async function clearStopped(tx: Tx, gameId: string, address: string): Promise<void> {
  await changed(
    tx,
    sql`update bug_reporters set stopped_at = null
      where game_id = ${gameId} and address = ${address} and stopped_at is not null`,
  );
}

export type OwnTicket = { bug_id: string; number: number; title: string; message: string };

const MAX_LISTED = 50;

/** The tickets of a game with this address, the newest first. */
export function listTicketsOf(db: Db, gameId: string, address: string): Promise<OwnTicket[]> {
  return rows(
    db,
    sql<OwnTicket>`select bug_id, number, title, message from bug_tickets
      where game_id = ${gameId} and lower(reporter_email) = ${address} order by bug_id desc limit ${MAX_LISTED}`,
  );
}

type FiledTicketRow = OwnTicket & {
  address: string | null;
  filed_at: Date;
  steps: string;
  /** Whether developers marked it as a duplicate. The status is then that of the original. */
  is_duplicate: boolean;
  status: (typeof BUG_STATUSES)[number];
  fixed_in_version: string | null;
};

/** Returns a ticket as its player sees it. */
function findFiledTicket(db: Db, gameId: string, bugId: string): Promise<FiledTicketRow | undefined> {
  return row(
    db,
    sql<FiledTicketRow>`select ticket.bug_id, ticket.number, ticket.title, ticket.message,
        lower(ticket.reporter_email) as address, ticket.filed_at, ticket.steps, original.bug_id is not null as is_duplicate,
        coalesce(original.status, ticket.status) as status,
        case when original.bug_id is null then ticket.fixed_in_version else original.fixed_in_version end as fixed_in_version
      from bug_tickets ticket left join bug_tickets original
        on original.game_id = ticket.game_id and original.bug_id = ticket.duplicate_of
      where ticket.game_id = ${gameId} and ticket.bug_id = ${bugId}`,
  );
}
