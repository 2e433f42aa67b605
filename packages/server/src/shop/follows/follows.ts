// Following a game: people with an account, and anyone who confirms an address, get an email about each release.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/follows';
import type { Caller, Context } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import { type Db, transact } from '../../kernel/database/db.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { deriveKey, isCurrent, openToken, signToken } from '../../kernel/secrets/signed-token.ts';
import { enqueueEmail, isUsedLink, useLink } from '../../people/emails/emails.ts';
import { findGame } from '../../people/game-access/game-access.sql.ts';
import { findGameFor, type Game, requireVisible, unknownGame } from '../../people/game-access/game-access.ts';
import { countEmailRequest, countPublicPost } from '../../request/address-limit.ts';
import { requestLanguage } from '../../request/audit.ts';
import { perContext } from '../../request/per-context.ts';
import { answer } from '../../request/perform.ts';
import { handle, stream } from '../../request/route.ts';
import { alreadyFollowingEmail, confirmationEmail } from './follow-emails.ts';
import * as sql from './follows.sql.ts';

/** How long a link confirms an address. */
const CONFIRM_MS = 2 * DAY;
const confirmKeyOf = perContext(({ secret }) => deriveKey(secret, 'follow'));
const endKeyOf = perContext(({ secret }) => deriveKey(secret, 'unfollow'));

export const getFollow = handle(contract.getFollow, async (ctx, { caller, input }) => {
  const game = await requireVisibleGame(ctx, caller, input.uid);
  return { following: await sql.isFollowing(ctx.db, game.game_id, caller.user.id) };
});

/** Throws `emailNotVerified` without a verified address. */
export const followGame = handle(contract.followGame, async (ctx, { caller, input }) => {
  const game = await requireVisibleGame(ctx, caller, input.uid);
  const { id: userId, email, emailVerified } = caller.user;
  if (!emailVerified)
    throw errors.emailNotVerified('Your email address is not verified. Open the link in the verification email first.');
  await transact(ctx.db, async (tx) => {
    await sql.insertFollow(tx, { ...newFollow(ctx, game), userId, email: null });
    // The person may have followed the game before having an account.
    await sql.deleteFollowOf(tx, game.game_id, { userId: null, email: email.toLowerCase() });
  });
  return { following: true };
});

export const unfollowGame = handle(contract.unfollowGame, async (ctx, { caller, input }) => {
  const game = await findGameFor(ctx.db, caller, input.uid);
  if (game === null) throw unknownGame();
  await sql.deleteFollowOf(ctx.db, game.game_id, { userId: caller.user.id, email: null });
  return { following: false };
});

/**
 * Sends one email in any case, with the same work, so that neither the response nor its time says whether the address
 * follows the game. The limit of an address isn't reported either. Throws `limitReached` if the game has caused too
 * many emails.
 */
export const requestFollow = handle(
  contract.requestFollow,
  async (ctx, { caller, input: { uid, email } }) => {
    const game = await requireVisibleGame(ctx, caller, uid);
    const address = email.toLowerCase();
    const existing = await sql.findFollowOf(ctx.db, game.game_id, address);
    const page = `${ctx.publicUrl}/g/${game.slug}`;
    const language = requestLanguage();
    const message =
      existing === undefined
        ? confirmationEmail(address, language, game, `${ctx.publicUrl}/follow/${confirmToken(ctx, game, address)}`)
        : alreadyFollowingEmail(address, language, game, { page, end: endPage(ctx, existing.follow_id) });
    await transact(ctx.db, (tx) => enqueueEmail(ctx, tx, 'follow', message, { gameId: game.game_id }));
    return {};
  },
  countEmailRequest,
);

function confirmToken(ctx: Context, { game_id }: Game, address: string): string {
  const expires = ctx.clock.now().getTime() + CONFIRM_MS;
  return signToken(confirmKeyOf(ctx), Buffer.from(JSON.stringify([game_id, address, expires])));
}

/** The page that asks before it ends a follow; the token works as long as the follow exists. */
export function endPage(ctx: Context, followId: string): string {
  return `${ctx.publicUrl}/unfollow/${endToken(ctx, followId)}`;
}

/** The address that email programs send a POST to. */
export function endAddress(ctx: Context, followId: string): string {
  return `${ctx.publicUrl}/api/v1/public/follows/end?token=${endToken(ctx, followId)}`;
}

function endToken(ctx: Context, followId: string): string {
  return signToken(endKeyOf(ctx), Buffer.from(followId));
}

type Confirmation = { game: Game; address: string; expiresAt: Date };

/** The game of a link that confirms an address. Throws `notFound`. */
async function openConfirmation(ctx: Context, token: string): Promise<Confirmation> {
  const payload = openToken(confirmKeyOf(ctx), token);
  if (payload === null) throw unknownLink();
  const [gameId, address, expires] = JSON.parse(payload.toString()) as [string, string, number];
  const game = isCurrent(expires, CONFIRM_MS, ctx.clock.now()) ? await findGame(ctx.db, gameId) : null;
  if (game === null || game.visibility === 'draft') throw unknownLink();
  return { game, address, expiresAt: new Date(expires) };
}

/**
 * What the link is about, and whether it was used. Throws `notFound` if it was used and the address no longer follows.
 */
export async function readConfirmation(ctx: Context, token: string): Promise<Confirmation & { isDone: boolean }> {
  const confirmation = await openConfirmation(ctx, token);
  const isDone = await isUsedLink(ctx.db, token);
  if (isDone) await requireFollow(ctx.db, confirmation);
  return { ...confirmation, isDone };
}

/** Throws `notFound` if the follow has ended since the link was used, because using it again changes nothing. */
async function requireFollow(db: Db, { game, address }: Confirmation): Promise<void> {
  if ((await sql.findFollowOf(db, game.game_id, address)) === undefined) throw unknownLink();
}

/**
 * Confirms the follow. Using the link again changes nothing. If the address has become that of an account, the account
 * follows the game.
 */
export const confirmFollow = handle(
  contract.confirmFollow,
  async (ctx, { input: { token } }) => {
    const confirmation = await openConfirmation(ctx, token);
    const { game, address, expiresAt } = confirmation;
    await transact(ctx.db, async (tx) => {
      if (!(await useLink(tx, token, expiresAt))) return requireFollow(tx, confirmation);
      const userId = await sql.findVerifiedUser(tx, address);
      await sql.insertFollow(tx, { ...newFollow(ctx, game), userId, email: userId === null ? address : null });
    });
    return { slug: game.slug, name: game.name };
  },
  countPublicPost,
);

function newFollow(ctx: Context, { game_id: gameId }: Game) {
  const now = ctx.clock.now();
  return { gameId, followId: newId(now.getTime()), followedAt: now, language: requestLanguage() };
}

/** The game of a link that ends a follow; null if it was ended. Throws `notFound` for a link that isn't ours. */
export async function readEnding(ctx: Context, token: string): Promise<Game | null> {
  const gameId = await sql.findGameOf(ctx.db, followIdOf(ctx, token));
  return gameId === undefined ? null : findGame(ctx.db, gameId);
}

/** Ignores the body, which email programs send. Throws `notFound`. */
export const endFollow = stream(contract.endFollow, async (ctx, { input }) => {
  await dropFollow(ctx, input.token);
  return answer(200, {});
});

/** Throws `notFound`. */
export async function dropFollow(ctx: Context, token: string): Promise<void> {
  await sql.deleteFollow(ctx.db, followIdOf(ctx, token));
}

function followIdOf(ctx: Context, token: string): string {
  const payload = openToken(endKeyOf(ctx), token);
  if (payload === null) throw unknownLink();
  return payload.toString();
}

function unknownLink(): ApiError {
  return errors.notFound('token: this link is incomplete, was used, has expired, or its game no longer exists.');
}

async function requireVisibleGame(ctx: Context, caller: Caller, ref: string): Promise<Game> {
  const game = await findGameFor(ctx.db, caller, ref);
  if (game === null) throw unknownGame();
  await requireVisible(ctx, game, caller);
  return game;
}
