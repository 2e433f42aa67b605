// Identifies the caller: a game by its deploy key or by a login of the command, a person by their session or by an API
// token, or an anonymous one.
import { errors } from '@chauffeur/contract/errors';
import { type Operation, tokenScopeOf } from '@chauffeur/contract/operation';
import type { FastifyRequest } from 'fastify';
import { type AccountCaller, ANONYMOUS, type Caller, type Context, type GameCaller } from '../context.ts';
import { isOperator } from '../people/accounts/accounts.sql.ts';
import { type Auth, sessionOfHeaders } from '../people/accounts/accounts.ts';
import { callerOfApiToken, gameOfApiToken, isApiToken, type TokenRequest } from '../people/api-tokens/api-tokens.ts';
import { authenticateLogin, isCliKey } from '../people/cli-logins/cli-logins.ts';
import { isOwnOrigin } from '../request/origins.ts';
import { authenticateKey } from '../ship/deploy-keys/deploy-keys.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);
const SESSION_COOKIE = 'chauffeur.session_token=';

/** A page of the website, which is read with a session or without. */
type PageVisit = { readonly access: 'public'; readonly uploadScope?: never };

/**
 * Returns the caller that the operation's access requires, or a promise if that needs a query. A request with an API
 * token is never one of a session, whatever cookies it has. Throws `missingAccessToken` to `needsDeployKey`,
 * `unknownCliLogin`, `unknownApiToken`, `ambiguousGame`, `missingScope`, `notForTokens`, `notFound`, `notSignedIn`,
 * `crossSite` and `operatorsOnly`.
 */
export function identify(
  ctx: Context,
  auth: Auth,
  operation: Operation | PageVisit,
  request: FastifyRequest,
): Caller | Promise<Caller> {
  const { access, uploadScope = 'builds' } = operation;
  const token = keyOfHeaders(request) === null ? apiTokenOf(request) : null;
  if (token !== null) return 'id' in operation ? identifyToken(ctx, operation, request, token) : ANONYMOUS;
  if (access === 'deploy_key') return identifyLogin(ctx, request) ?? identifyGame(ctx, request, uploadScope);
  if (access === 'account') return identifyAccount(ctx, auth, request);
  if (access === 'operator') return identifyOperator(ctx, auth, request);
  if (headerOf(request, 'x-access-token') !== '') return identifyGame(ctx, request, uploadScope);
  return hasSessionCookie(request) ? identifyVisitor(auth, request) : ANONYMOUS;
}

/** Public operations that show a member no more than others ignore tokens, as they ignore sessions. */
function identifyToken(
  ctx: Context,
  operation: Operation,
  request: FastifyRequest,
  token: string,
): Caller | Promise<Caller> {
  const from = request.ip;
  if (operation.access === 'deploy_key')
    return gameOfApiToken(ctx, { operation, token, game: headerOf(request, 'x-app-id'), from });
  if (operation.access === 'public' && tokenScopeOf(operation) === null) return ANONYMOUS;
  const { uid = '' } = request.params as { uid?: string };
  const asked: TokenRequest = { operation, token, game: uid, from };
  return callerOfApiToken(ctx, asked);
}

/**
 * What the request sends as an API token, which may be malformed; null if it sends none. A malformed one must be
 * refused: without it, the session of a cookie would be used.
 */
function apiTokenOf({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  // Trimmed apart from the pattern, which would try each place of a long row of spaces.
  const [, token = ''] = /^bearer\s+(.*)$/is.exec((headers.authorization ?? '').trim()) ?? [];
  return isApiToken(token) ? token : null;
}

/** Throws `notForTokens` for routes on which a session that is sent next to an API token would be used. */
export function refuseApiToken(request: FastifyRequest): void {
  if (apiTokenOf(request) !== null)
    throw errors.notForTokens("This can't be done with an API token. Sign in on the website to do it.");
}

/** Empty without one. */
function bearerOf({ headers }: FastifyRequest): string {
  const [, token = ''] = /^bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return token;
}

async function identifyVisitor(auth: Auth, request: FastifyRequest): Promise<Caller> {
  return (await sessionOf(auth, request)) ?? ANONYMOUS;
}

/**
 * A login of the command; null if the request has none. Public operations don't accept logins, so a login never sees
 * more than what is needed to ship builds.
 */
function identifyLogin(ctx: Context, request: FastifyRequest): Promise<GameCaller> | null {
  if (keyOfHeaders(request) !== null) return null;
  const key = bearerOf(request);
  return isCliKey(key) ? authenticateLogin(ctx, key, headerOf(request, 'x-app-id')) : null;
}

/** Public operations show a game's drafts to its deploy key, and to an upload token that uploads builds. */
async function identifyGame(
  ctx: Context,
  request: FastifyRequest,
  scope: Required<Operation>['uploadScope'],
): Promise<GameCaller> {
  const { accessToken, secretKey } = keyOfHeaders(request) ?? keyOfBasic(request) ?? NO_KEY;
  if (accessToken === '' && secretKey === '' && hasOtherCredentials(request)) throw errors.needsDeployKey();
  if (accessToken === '') throw errors.missingAccessToken();
  if (secretKey === '') throw errors.missingSecretKey();
  const caller = await authenticateKey(ctx, accessToken, secretKey, request.ip);
  if (scope !== 'any' && caller.token?.scopes.includes(scope) === false)
    throw errors.missingScope(`This upload token does not have the scope ${scope}.`, { data: { scope } });
  return caller;
}

/** The two halves of a deploy key; a missing one is empty. */
type SentKey = { readonly accessToken: string; readonly secretKey: string };
const NO_KEY: SentKey = { accessToken: '', secretKey: '' };

/** These headers take precedence: an Authorization header next to them may be meant for a proxy. */
function keyOfHeaders(request: FastifyRequest): SentKey | null {
  const accessToken = headerOf(request, 'x-access-token');
  const secretKey = headerOf(request, 'x-secret-key');
  return accessToken === '' && secretKey === '' ? null : { accessToken, secretKey };
}

/**
 * Access token and secret as user and password (RFC 7617), for tools that accept a URL but no headers:
 * `https://token:secret@host/…`.
 */
function keyOfBasic({ headers }: FastifyRequest): SentKey | null {
  const [, encoded] = /^basic +([a-z0-9+/=_-]+)$/i.exec(headers.authorization ?? '') ?? [];
  if (encoded === undefined) return null;
  const [accessToken = '', ...password] = Buffer.from(encoded, 'base64').toString().split(':');
  return { accessToken, secretKey: password.join(':') };
}

function hasOtherCredentials(request: FastifyRequest): boolean {
  return request.headers.authorization !== undefined || hasSessionCookie(request);
}

function hasSessionCookie(request: FastifyRequest): boolean {
  return request.headers.cookie?.includes(SESSION_COOKIE) === true;
}

async function identifyAccount(ctx: Context, auth: Auth, request: FastifyRequest): Promise<AccountCaller> {
  const caller = await sessionOf(auth, request);
  if (caller === null) throw errors.notSignedIn();
  if (!SAFE_METHODS.has(request.method) && isFromAnotherSite(ctx, request))
    throw errors.crossSite(
      `The request came from a page of another site. Open this service at ${ctx.publicUrl}; if that is not its address, set CHAUFFEUR_PUBLIC_URL.`,
    );
  return caller;
}

async function identifyOperator(ctx: Context, auth: Auth, request: FastifyRequest): Promise<AccountCaller> {
  const caller = await identifyAccount(ctx, auth, request);
  if (!(await isOperator(ctx.db, caller.user.id))) throw errors.operatorsOnly();
  return caller;
}

async function sessionOf(auth: Auth, request: FastifyRequest): Promise<AccountCaller | null> {
  if (!hasSessionCookie(request)) return null;
  const session = await sessionOfHeaders(auth, new Headers({ cookie: request.headers.cookie ?? '' }));
  return session === null
    ? null
    : { kind: 'account', user: session.user, signInMethod: session.method, signedInAt: session.startedAt };
}

/**
 * Browsers send the cookie with requests from pages of any site, and state truthfully where the page came from, in
 * Origin or Sec-Fetch-Site (Fetch Metadata, W3C); programs send neither. Compared with the public URL instead of Host,
 * because a proxy may rewrite Host to something unrelated to the page.
 */
function isFromAnotherSite(ctx: Context, request: FastifyRequest): boolean {
  const { origin } = request.headers;
  if (origin !== undefined) return !isOwnOrigin(ctx.publicUrl, origin);
  const site = headerOf(request, 'sec-fetch-site');
  return site !== '' && site !== 'same-origin' && site !== 'none';
}

/** A header that was sent twice arrives joined by a comma, and then does not match. */
function headerOf(request: FastifyRequest, name: string): string {
  const value = request.headers[name];
  return (Array.isArray(value) ? value.join(',') : (value ?? '')).trim();
}
