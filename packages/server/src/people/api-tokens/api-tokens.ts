// API tokens: a person creates one for a script, which then calls the API with it. It is shown once and stored as a
// hash.
//
// A token never allows more than its owner may do when it is used: every operation checks their role, and whether they
// still meet what the organisation of the game requires of how people sign in. On top of that, the scopes of the token
// decide which operations it can call (token-scopes.ts in the contract), and it can be limited to some games.

import { errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import { type Operation, type OutputOf, tokenScopeOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/api-tokens';
import { GameParams } from '@chauffeur/contract/operations/fields';
import { asSignInMethod } from '@chauffeur/contract/required-sign-in';
import { API_TOKEN_PREFIX, hasTokenScope, type TokenScope } from '@chauffeur/contract/token-scopes';
import { findProblem } from '@chauffeur/contract/validate';
import type { AccountCaller, Context, GameCaller, User } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import { type Db, isMissingReference, type Tx, transact } from '../../kernel/database/db.ts';
import type { Email } from '../../kernel/email/email.ts';
import { oneLine, quote } from '../../kernel/email/html-email.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { hashSecret, newId, newSecret } from '../../kernel/secrets/ids.ts';
import { auditChanges, requestAddress } from '../../request/audit.ts';
import { handle } from '../../request/route.ts';
import { enqueueEmail } from '../emails/emails.ts';
import { isReachableBy, listGameIdsOf, requireMember, unknownGame } from '../game-access/game-access.ts';
import * as sql from './api-tokens.sql.ts';

type Token = OutputOf<typeof contract.revokeApiToken>;

/** The number of characters, which have 5.8 bits each, 186 in total. */
const SECRET_LENGTH = 32;
/** The number of characters of the secret that identify the token. */
const REF_LENGTH = 6;
/** How long ended tokens stay listed. */
const ENDED_DAYS = 30;

/** Whether a bearer token has the form of an API token. */
export function isApiToken(token: string): boolean {
  return token.startsWith(API_TOKEN_PREFIX);
}

/** Throws `notFound` for a game that the caller is not a member of. */
export const createApiToken = handle(contract.createApiToken, async (ctx, { caller, input }) => {
  const { name, scopes, games, expires_in_days: days = LIMITS.apiTokenDefaultDays } = input;
  const gameIds = games === null ? null : await gameIdsOf(ctx, caller, games);
  const now = ctx.clock.now();
  const token = `${API_TOKEN_PREFIX}${newSecret(SECRET_LENGTH)}`;
  const created = await transact(ctx.db, async (tx) => {
    await sql.lockTokens(tx, caller.user.id);
    if ((await sql.countTokens(tx, caller.user.id, now)) >= LIMITS.apiTokens)
      throw errors.invalid(`You have ${LIMITS.apiTokens} active tokens, which is the limit. Revoke one first.`);
    const row = await sql.insertToken(tx, {
      tokenId: newId(now.getTime()),
      userId: caller.user.id,
      tokenRef: token.slice(0, API_TOKEN_PREFIX.length + REF_LENGTH),
      tokenHash: hashSecret(token),
      name: name.trim() || name,
      scopes: [...new Set(scopes)].sort(),
      gameIds,
      signInMethod: caller.signInMethod,
      createdAt: now,
      expiresAt: new Date(now.getTime() + days * DAY),
    });
    auditChanges({}, { token: row.token_ref, name: row.name, scopes: row.scopes, expires_at: row.expires_at });
    await enqueueEmail(ctx, tx, 'security', createdEmail(caller.user, row, ctx.publicUrl), {
      topic: 'api_token_created',
    });
    return row;
  }).catch((cause: unknown) => {
    // The person deleted their account in the meantime.
    throw isMissingReference(cause) ? errors.notSignedIn(undefined, { cause }) : cause;
  });
  return { ...recordOf(created, now), token };
});

async function gameIdsOf(ctx: Context, caller: AccountCaller, refs: readonly string[]): Promise<string[]> {
  const ids = new Set<string>();
  for (const ref of refs) ids.add((await requireMember(ctx, caller, ref)).game.game_id);
  return [...ids];
}

export const listApiTokens = handle(contract.listApiTokens, async (ctx, { caller }) => {
  const now = ctx.clock.now();
  const found = await sql.listTokens(ctx.db, caller.user.id, new Date(now.getTime() - ENDED_DAYS * DAY));
  return { tokens: found.map((row) => recordOf(row, now)) };
});

/** Throws `notFound`. */
export const revokeApiToken = handle(contract.revokeApiToken, async (ctx, { caller, input }) => {
  const now = ctx.clock.now();
  const revoked = await sql.revokeToken(ctx.db, caller.user.id, input.token_id, now);
  if (revoked === undefined) throw errors.notFound('token_id: you have no such token.');
  // One that was revoked before keeps the time of that.
  if (revoked.revoked_at?.getTime() === now.getTime())
    auditChanges({ token: revoked.token_ref, name: revoked.name }, { token: null, name: null });
  return recordOf(revoked, now);
});

function recordOf(row: sql.TokenRow, now: Date): Token {
  const { revoked_at: revokedAt, expires_at: expiresAt } = row;
  return {
    ...row,
    state: revokedAt !== null ? 'revoked' : expiresAt <= now ? 'expired' : 'active',
    created_at: row.created_at.toISOString(),
    expires_at: expiresAt.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    revoked_at: revokedAt?.toISOString() ?? null,
  };
}

/** The number of active tokens of the person. */
export function countApiTokens(db: Db, userId: string, now: Date): Promise<number> {
  return sql.countTokens(db, userId, now);
}

/** Revokes all tokens of the person. Returns how many were active. */
export async function revokeApiTokens(tx: Tx, userId: string, now: Date): Promise<number> {
  // A token that is being added is then revoked, too.
  await sql.lockTokens(tx, userId);
  return sql.revokeTokensOf(tx, userId, now);
}

/** What a request with a token asks for. `game` is what the path or a header names, and empty without one. */
export type TokenRequest = {
  readonly operation: Pick<Operation, 'id' | 'access' | 'method' | 'path' | 'tokenScope'>;
  readonly token: string;
  readonly game: string;
  readonly from: string;
};

/**
 * The person whose token it is, for an operation of an account. Throws `unknownApiToken`, `revokedApiToken`,
 * `expiredApiToken`, `missingScope` and `notForTokens`, and `gameNotInToken` or `notFound` for a game that the token is
 * not for.
 */
export async function callerOfApiToken(ctx: Context, request: TokenRequest): Promise<AccountCaller> {
  const found = await authenticate(ctx, request);
  const isLimited = found.game_ids !== null;
  if (isLimited && !isAboutGames(request.operation))
    throw errors.notForTokens('This token is limited to some games, and this is about more. Use one for all games.');
  if (isLimited && request.game !== '')
    await requireGame(ctx, { ...callerOf(found), neededRole: 'viewer' }, request.game);
  return callerOf(found);
}

/**
 * The game that a token acts for, for an operation of deploy keys: it is named by the request, or is the only one of the
 * token. Throws what `callerOfApiToken` throws, `ambiguousGame` if no game is named and there are several or none,
 * and `notAllowed` for a role that is too low.
 */
export async function gameOfApiToken(ctx: Context, request: TokenRequest): Promise<GameCaller> {
  const found = await authenticate(ctx, request);
  const caller = { ...callerOf(found), neededRole: 'developer' } as const;
  const ref = request.game === '' ? await onlyGameOf(ctx, caller) : request.game;
  const game = await requireGame(ctx, caller, ref);
  const { token_ref: keyRef, name, user } = found;
  return { kind: 'game', gameId: game.game_id, keyRef, user, apiToken: name };
}

async function requireGame(ctx: Context, caller: AccountCaller, ref: string) {
  if (findProblem(GameParams, { uid: ref }) !== null) throw unknownGame();
  return (await requireMember(ctx, caller, ref)).game;
}

async function onlyGameOf(ctx: Context, caller: AccountCaller): Promise<string> {
  const all = await listGameIdsOf(ctx.db, caller.user.id, 'developer');
  const [only, ...others] = all.filter((gameId) => isReachableBy(caller, { game_id: gameId }));
  if (only === undefined || others.length > 0)
    throw errors.ambiguousGame('The token gives access to several games or none. Name one in X-App-Id.');
  return only;
}

/** Paths with the uid of a game. The list of games has only the one of the token. */
function isAboutGames({ id, path }: TokenRequest['operation']): boolean {
  return /^\/(public\/)?games\/\{uid\}(\/|$)/.test(path) || id === 'games.list' || id === 'store.renderMarkdown';
}

async function authenticate(ctx: Context, { operation, token, from }: TokenRequest): Promise<sql.FoundToken> {
  const now = ctx.clock.now();
  // Found by its hash: a comparison in the index reveals nothing about a token that could be guessed bit by bit.
  const found = await sql.findToken(ctx.db, hashSecret(token), now);
  if (found === undefined) throw errors.unknownApiToken('This API token does not exist, or its account is disabled.');
  if (found.revoked_at !== null) throw errors.revokedApiToken();
  if (found.expires_at <= now)
    throw errors.expiredApiToken(`This API token expired on ${formatDay(found.expires_at)}.`);
  const scope = tokenScopeOf(operation as Operation);
  if (scope === null)
    throw errors.notForTokens("This can't be done with an API token. Sign in on the website to do it.");
  if (!hasTokenScope(found.scopes, scope))
    throw errors.missingScope(`This API token does not have the scope ${scope}.`, { data: { scope } });
  if (found.stale) await sql.touchToken(ctx.db, found.token_id, { now, from });
  return found;
}

function callerOf({
  token_id: id,
  name,
  game_ids: gameIds,
  user,
  sign_in_method: method,
}: sql.FoundToken): AccountCaller {
  const agent = { kind: 'token', id, name, gameIds, mayWrite: true } as const;
  return { kind: 'account', user, signInMethod: asSignInMethod(method), agent };
}

/** `2026-11-25`. */
function formatDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}

function createdEmail(user: User, token: sql.TokenRow, publicUrl: string): Email {
  const from = requestAddress();
  return {
    to: user.email,
    subject: 'A new API token for your Chauffeur account',
    headers: { 'Auto-Submitted': 'auto-generated' },
    text: [
      `The API token ${quote(token.name)} was created. It starts with ${token.token_ref} and expires on ${formatDay(token.expires_at)}.`,
      [
        `Scopes: ${describeScopes(token.scopes)}`,
        `Games: ${nameGames(token.games)}`,
        ...(from === null ? [] : [`IP address: ${from}`]),
      ].join('\n'),
      'A script with this token can call the API for you within these scopes.',
      "If you didn't create it, revoke it and change your password:",
      `${publicUrl}/settings/tokens\n`,
    ].join('\n\n'),
  };
}

/** The number of games that an email names. */
const MAX_NAMED = 10;

function nameGames(games: sql.TokenRow['games']): string {
  if (games === null) return 'all of your games';
  const named = games.slice(0, MAX_NAMED).map(({ name }) => oneLine(name));
  return [...named, ...(games.length > MAX_NAMED ? [`${games.length - MAX_NAMED} more`] : [])].join(', ');
}

function describeScopes(scopes: readonly TokenScope[]): string {
  return scopes.join(', ');
}

function expiryEmail({ email, name, token_ref, expires_at }: sql.ExpiringToken, publicUrl: string): Email {
  return {
    to: email,
    subject: oneLine(`Your API token ${quote(name)} expires on ${formatDay(expires_at)}`),
    headers: { 'Auto-Submitted': 'auto-generated' },
    text: [
      `The API token ${quote(name)}, which starts with ${token_ref}, stops working on ${formatDay(expires_at)}.`,
      'If a script still needs it, create a new token and replace it there:',
      `${publicUrl}/settings/tokens\n`,
    ].join('\n\n'),
  };
}

/** Deletes tokens that ended long ago, and reminds people of tokens that are about to expire. */
export const apiTokenExpiryJob = defineJob(
  'api-tokens:expiry',
  { attempts: 5, cron: '37 * * * *', lane: 'long', deletesOld: true },
  checkExpiry,
);

const REMINDER_DAYS = 7;
const BATCH_SIZE = 100;

export async function checkExpiry(ctx: Context): Promise<void> {
  const now = ctx.clock.now();
  await sql.forgetTokens(ctx.db, new Date(now.getTime() - ENDED_DAYS * DAY));
  const until = new Date(now.getTime() + REMINDER_DAYS * DAY);
  for (let taken = BATCH_SIZE; taken === BATCH_SIZE; ) {
    taken = await transact(ctx.db, async (tx) => {
      const due = await sql.takeExpiring(tx, { now, until, limit: BATCH_SIZE });
      for (const token of due)
        await enqueueEmail(ctx, tx, 'security', expiryEmail(token, ctx.publicUrl), { topic: 'api_token_expiring' });
      return due.length;
    });
  }
}
