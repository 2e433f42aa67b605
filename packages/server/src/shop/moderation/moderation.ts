// Moderation: reports of players about pages of games, and what operators do about them.
import { createHmac } from 'node:crypto';
import { LIMITS } from '@chauffeur/contract/limits';
import * as contract from '@chauffeur/contract/operations/moderation';
import type { Context } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import { type Tx, transact } from '../../kernel/database/db.ts';
import { oneLine, quote } from '../../kernel/email/html-email.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { deriveKey } from '../../kernel/secrets/signed-token.ts';
import { enqueueEmails } from '../../people/emails/emails.ts';
import { findGame, listOwners } from '../../people/game-access/game-access.sql.ts';
import { findGameFor, type Game, lockGame, requireVisible, unknownGame } from '../../people/game-access/game-access.ts';
import { findHidden, hideGame, restoreGame } from '../../people/games/games.sql.ts';
import { countPublicPost, networkOf } from '../../request/address-limit.ts';
import { auditChange, auditDone } from '../../request/audit.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import { perContext } from '../../request/per-context.ts';
import { handle } from '../../request/route.ts';
import { trimText } from '../../request/text-rules.ts';
import * as sql from './moderation.sql.ts';

const PAGE_SIZE = 25;
/** How long closed reports are kept. */
const CLOSED_DAYS = 30;
const SECONDS_A_DAY = 86_400;
/** The limits of the reports of one network, and of the reports about one game. */
const ADDRESS_LIMIT = { name: 'page reports', scope: 'IP address', max: 10, windowSeconds: SECONDS_A_DAY } as const;
const GAME_LIMIT = { name: 'page reports', max: 200, windowSeconds: SECONDS_A_DAY } as const;

const addressKeyOf = perContext(({ secret }) => deriveKey(secret, 'page reports of addresses'));

/** The address is not stored, only a code of it that cannot be computed without the secret. Throws `limitReached`. */
export async function countPageReport(ctx: Context, request: { readonly ip: string }): Promise<void> {
  countPublicPost(ctx, request);
  const subject = createHmac('sha256', addressKeyOf(ctx)).update(networkOf(request.ip)).digest('base64url');
  await countUse(ctx, ctx.db, subject, ADDRESS_LIMIT);
}

export const reportPage = handle(
  contract.reportPage,
  async (ctx, { caller, input: { uid, reason, message } }) => {
    const game = await findGameFor(ctx.db, caller, uid);
    if (game === null) throw unknownGame();
    await requireVisible(ctx, game, caller);
    const text = trimText('message', message);
    const at = ctx.clock.now();
    await transact(ctx.db, async (tx) => {
      await countUse(ctx, tx, game.game_id, GAME_LIMIT);
      const userId = caller.kind === 'account' ? caller.user.id : null;
      const report = { gameId: game.game_id, reportId: newId(at.getTime()), reason, message: text, userId, at };
      await sql.insertReport(tx, report);
    });
    return {};
  },
  countPageReport,
);

export const listReportedGames = handle(
  contract.listReportedGames,
  async (ctx, { input: { state = 'reported', cursor, limit = PAGE_SIZE } }) => {
    const list = ['reported games', state];
    const [atUs, gameId] = cursor === undefined ? [] : readCursor(list, cursor, ['microseconds', 'uuid']);
    const after = atUs === undefined || gameId === undefined ? null : { atUs, gameId };
    const found = await sql.listReportedGames(ctx.db, state, {
      after,
      limit: limit + 1,
      shown: LIMITS.pageReportsShown,
    });
    const { page, last } = cutPage(found, limit);
    return {
      games: page.map(({ game_id, at_us: _, hidden, reports, ...game }) => ({
        game_uid: game_id,
        ...game,
        hidden: hidden && { reason: hidden.reason, hidden_at: new Date(hidden.hidden_at).toISOString() },
        reports: reports.map((report) => ({ ...report, reported_at: new Date(report.reported_at).toISOString() })),
      })),
      next_cursor: last === null ? null : writeCursor(list, [last.at_us, last.game_id]),
    };
  },
);

/** Throws `notFound`. */
export const dismissReports = handle(contract.dismissReports, async (ctx, { input: { uid } }) => {
  const { game_id: gameId } = await requireGame(ctx, uid);
  const dismissed = await transact(ctx.db, async (tx) => {
    await lockGame(tx, gameId);
    auditDone();
    return sql.closeReports(tx, gameId, ctx.clock.now());
  });
  return { dismissed };
});

/** Hides a page and emails the reason to its owners. Hiding a hidden page changes the reason. Throws `notFound`. */
export const hidePage = handle(contract.hidePage, async (ctx, { caller, input }) => {
  const { game_id: gameId } = await requireGame(ctx, input.uid);
  const at = ctx.clock.now();
  const reason = trimText('reason', input.reason);
  return transact(ctx.db, async (tx) => {
    const game = await lockGame(tx, gameId);
    const before = await findHidden(tx, gameId);
    await hideGame(tx, gameId, { reason, by: caller.user.name, at });
    await sql.closeReports(tx, gameId, at);
    auditChange('hidden', before?.reason ?? null, reason);
    if (before?.reason !== reason) await emailOwners(ctx, tx, game, reason);
    return { reason, hidden_at: (before?.hidden_at ?? at).toISOString() };
  });
});

async function emailOwners(ctx: Context, tx: Tx, game: Game, reason: string): Promise<void> {
  const emails = (await listOwners(tx, game.game_id)).map(({ email: to }) => ({
    to,
    subject: oneLine(`The page of ${game.name} was hidden`),
    text: [
      `An operator of ${ctx.publicUrl} has hidden the page of ${quote(game.name)} and its downloads from players. The reason:`,
      reason,
      'You and the other members of the game still see the page. Fix what the reason describes, then ask the operators to show it again.',
      `${ctx.publicUrl}/dev/${game.slug}/settings/listing\n`,
    ].join('\n\n'),
  }));
  await enqueueEmails(ctx, tx, 'page_hidden', emails);
}

/** Shows a page again. Changes nothing if it isn't hidden. Throws `notFound`. */
export const restorePage = handle(contract.restorePage, async (ctx, { input: { uid } }) => {
  const { game_id: gameId } = await requireGame(ctx, uid);
  return transact(ctx.db, async (tx) => {
    const game = await lockGame(tx, gameId);
    const hidden = await findHidden(tx, gameId);
    await restoreGame(tx, gameId);
    auditChange('hidden', hidden?.reason ?? null, null);
    return { visibility: hidden?.visibility_before ?? game.visibility };
  });
});

async function requireGame(ctx: Context, ref: string): Promise<Game> {
  const game = await findGame(ctx.db, ref);
  if (game === null) throw unknownGame();
  return game;
}

export const expireReportsJob = defineJob(
  'moderation:expire',
  { attempts: 5, cron: '51 4 * * *', deletesOld: true },
  expireReports,
);

export async function expireReports(ctx: Context): Promise<void> {
  await sql.deleteClosed(ctx.db, new Date(ctx.clock.now().getTime() - CLOSED_DAYS * DAY));
}
