// Identifies who calls the addresses of sentry-cli, and the game that they name. It sends one token: an API token, a
// login of the command, or both halves of a deploy key or an upload token, joined by a dot.
import { errors, isError } from '@chauffeur/contract/errors';
import { GameParams } from '@chauffeur/contract/operations/fields';
import { uploadSymbols } from '@chauffeur/contract/operations/symbols';
import { findProblem } from '@chauffeur/contract/validate';
import type { FastifyRequest } from 'fastify';
import type { Context, GameCaller } from '../context.ts';
import { findGameOfProject } from '../crash/sentry/dsns/dsns.sql.ts';
import type { Project } from '../crash/sentry/releases/releases.ts';
import { gameOfApiToken, isApiToken } from '../people/api-tokens/api-tokens.ts';
import { authenticateLogin, isCliKey } from '../people/cli-logins/cli-logins.ts';
import { findGameFor, unknownGame } from '../people/game-access/game-access.ts';
import { authenticateKey } from '../ship/deploy-keys/deploy-keys.ts';

const SCOPE = 'symbols';

/**
 * The game of the token. `ref` is what the request names as its project: a uid, a slug or the number in DSNs; empty for
 * the only game of the token. Throws `missingAccessToken`, `missingSecretKey` and the errors of each kind of token, and
 * `notFound` for another game, whether or not it exists.
 */
export async function projectOf(ctx: Context, request: FastifyRequest, ref: string): Promise<Project> {
  const token = tokenOf(request);
  if (token === '') throw errors.missingAccessToken('Set SENTRY_AUTH_TOKEN.');
  const uid = ref === '' ? '' : await gameRefOf(ctx, ref);
  const caller = await callerOf(ctx, request, token, uid);
  return requireProject(ctx, caller, uid || caller.gameId);
}

/** Throws `notFound` unless `ref` names the game of the caller. */
export async function requireProject(ctx: Context, caller: GameCaller, ref: string): Promise<Project> {
  const game = await findGameFor(ctx.db, caller, await gameRefOf(ctx, ref));
  if (game === null || game.game_id !== caller.gameId) throw unknownGame();
  return { caller, gameId: game.game_id, slug: game.slug, name: game.name };
}

/** Trimmed apart from the pattern, which would try each place of a long row of spaces. */
function tokenOf({ headers }: FastifyRequest): string {
  const [, token = ''] = /^bearer +(\S+)$/i.exec((headers.authorization ?? '').trim()) ?? [];
  return token;
}

/** A uid or slug. Throws `notFound` for what is neither that nor a number. */
async function gameRefOf(ctx: Context, ref: string): Promise<string> {
  const ofNumber = /^\d{1,9}$/.test(ref) ? await findGameOfProject(ctx.db, Number(ref)) : undefined;
  const uid = ofNumber ?? ref;
  if (findProblem(GameParams, { uid }) !== null) throw unknownGame();
  return uid;
}

async function callerOf(ctx: Context, request: FastifyRequest, token: string, game: string): Promise<GameCaller> {
  const from = request.ip;
  try {
    if (isApiToken(token)) return await gameOfApiToken(ctx, { operation: uploadSymbols, token, game, from });
    if (isCliKey(token)) return await authenticateLogin(ctx, token, game);
  } catch (error) {
    if (!isError(error, 'ambiguousGame')) throw error;
    throw errors.ambiguousGame('The token gives access to several games or none. Use one for this game alone.');
  }
  // A colon joins them in URLs.
  const [, accessToken = '', secretKey = ''] = /^([^.:]*)[.:]?(.*)$/s.exec(token) ?? [];
  if (accessToken === '') throw errors.missingAccessToken();
  if (secretKey === '')
    throw errors.missingSecretKey('SENTRY_AUTH_TOKEN: access token and secret key, with a dot between them.');
  const caller = await authenticateKey(ctx, accessToken, secretKey, from);
  if (caller.token?.scopes.includes(SCOPE) === false)
    throw errors.missingScope(`This upload token does not have the scope ${SCOPE}.`, { data: { scope: SCOPE } });
  return caller;
}
