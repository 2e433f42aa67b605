// Logins of the `chauffeur` command: keys with which it acts for a person, with no more rights than a deploy key.

import { errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import * as contract from '@chauffeur/contract/operations/cli';
import { CLI_KEY_PREFIX } from '@chauffeur/contract/operations/cli';
import { GameParams } from '@chauffeur/contract/operations/fields';
import { asSignInMethod } from '@chauffeur/contract/required-sign-in';
import { findProblem } from '@chauffeur/contract/validate';
import type { Context, GameCaller } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import type { Db, Tx } from '../../kernel/database/db.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { hashSecret } from '../../kernel/secrets/ids.ts';
import { countPublicPost } from '../../request/address-limit.ts';
import { handle } from '../../request/route.ts';
import { listGameIdsOf, requireMember, unknownGame } from '../game-access/game-access.ts';
import * as logins from './logins.sql.ts';
import { forgetLogins } from './logins.sql.ts';
import { deleteDecided, forgetRequests } from './requests.sql.ts';

/** What the operations of the command need. A test compares it with them. */
const SHIPPING_ROLE = 'developer';

/** Whether a bearer token has the form of a login's key. */
export function isCliKey(token: string): boolean {
  return token.startsWith(CLI_KEY_PREFIX);
}

/** The current time, and the time after which an active login was used. */
export function timesOf(now: Date): logins.Times {
  return { now, usedAfter: new Date(now.getTime() - LIMITS.cliLoginDays * DAY) };
}

/**
 * Returns the game that the request names, or the only game of the login. The person must be able to ship it now.
 * Throws `unknownCliLogin` for an unknown, expired or revoked login, `ambiguousGame` if no game is named and there are
 * several or none, `notAllowed` for a role that is too low, `strongerSignInNeeded` if it was created in a session that
 * the organisation does not accept, and `notFound` for a game without access.
 */
export async function authenticateLogin(ctx: Context, key: string, gameRef: string): Promise<GameCaller> {
  const now = ctx.clock.now();
  // Found by its hash: a comparison in the index reveals nothing about a key that could be guessed bit by bit.
  const login = await logins.findLogin(ctx.db, hashSecret(key), timesOf(now));
  if (login === undefined) throw errors.unknownCliLogin();
  const { user, sign_in_method: method } = login;
  const caller = {
    kind: 'account',
    user,
    neededRole: SHIPPING_ROLE,
    signInMethod: asSignInMethod(method),
    isCommand: true,
  } as const;
  const ref = gameRef === '' ? (login.game_id ?? (await onlyGameOf(ctx.db, user.id))) : gameRef;
  if (findProblem(GameParams, { uid: ref }) !== null) throw unknownGame();
  const { game } = await requireMember(ctx, caller, ref);
  if (login.game_id !== null && login.game_id !== game.game_id) throw unknownGame();
  if (login.stale) await logins.touchLogin(ctx.db, login.login_id, now);
  return { kind: 'game', gameId: game.game_id, keyRef: login.key_ref, user: login.user };
}

async function onlyGameOf(db: Db, userId: string): Promise<string> {
  const [only, ...others] = await listGameIdsOf(db, userId, SHIPPING_ROLE);
  if (only === undefined || others.length > 0) throw errors.ambiguousGame();
  return only;
}

export const listCliLogins = handle(contract.listCliLogins, async (ctx, { caller }) => {
  const active = await logins.listLogins(ctx.db, caller.user.id, timesOf(ctx.clock.now()));
  return {
    logins: active.map((login) => ({
      ...login,
      created_at: login.created_at.toISOString(),
      last_used_at: login.last_used_at.toISOString(),
      expires_at: new Date(login.last_used_at.getTime() + LIMITS.cliLoginDays * DAY).toISOString(),
    })),
  };
});

/** Throws `notFound`, also for a login that has expired or was revoked. */
export const revokeCliLogin = handle(contract.revokeCliLogin, async (ctx, { caller, input }) => {
  const selection = { loginId: input.login_id, userId: caller.user.id };
  const revoked = await logins.revokeLogins(ctx.db, selection, timesOf(ctx.clock.now()));
  if (revoked === 0) throw errors.notFound('login_id: you have no such login.');
  return { revoked: true };
});

/** The response is the same for an unknown key, as in RFC 7009. */
export const endCliLogin = handle(
  contract.endCliLogin,
  async (ctx, { input }) => {
    await logins.revokeLogins(ctx.db, { keyHash: hashSecret(input.key) }, timesOf(ctx.clock.now()));
    return { revoked: true };
  },
  countPublicPost,
);

/** The number of active logins of the person. */
export function countCliLogins(db: Db, userId: string, now: Date): Promise<number> {
  return logins.countLogins(db, userId, timesOf(now));
}

/**
 * Revokes all logins of the person, including approved ones that no command has collected. Returns how many were
 * active.
 */
export async function revokeCliLogins(tx: Tx, userId: string, now: Date): Promise<number> {
  // Deleted first: a command that is collecting its key has locked the request, and its login is then revoked below.
  await deleteDecided(tx, userId);
  return logins.revokeLogins(tx, { userId }, timesOf(now));
}

export const forgetLoginsJob = defineJob(
  'cli-logins:forget',
  { attempts: 3, cron: '17 * * * *', lane: 'long', deletesOld: true },
  forgetOldLogins,
);

/** How long a login that ended stays in the database. */
const ENDED_DAYS = 30;

export async function forgetOldLogins(ctx: Context): Promise<void> {
  const now = ctx.clock.now();
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY);
  await forgetRequests(ctx.db, now);
  await forgetLogins(ctx.db, { revoked: daysAgo(ENDED_DAYS), used: daysAgo(LIMITS.cliLoginDays + ENDED_DAYS) });
}
