// Passes a request to better-auth, once its route is known to be open and its body is readable by better-auth. Its
// errors become errors of our registry, in the form that its clients expect.
import { type Failure, failureOf } from '@chauffeur/contract/envelope';
import { ApiError, CODES, type ErrorCode, type ErrorData, errors, isError } from '@chauffeur/contract/errors';
import { findTextProblem } from '@chauffeur/contract/validate';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { isUniqueViolation } from '../kernel/database/db.ts';
import { countLimit } from '../kernel/limits/rate-limit.ts';
import { type Auth, handleRequest } from '../people/accounts/accounts.ts';
import { CLIENT_ADDRESS_HEADER } from '../people/accounts/request-rules.ts';
import { sendError } from './send-error.ts';

/** A body to forward: serialized again, so that both sides read the same. */
export type ForwardedBody = { readonly type: string; readonly text: string };

type ForwardedRequest = {
  /** If it differs from that of the request. */
  readonly method?: string;
  /** The URL to dispatch. Whether a route is open must be decided on this object. */
  readonly target: URL;
  readonly body?: ForwardedBody | undefined;
};

/**
 * Returns the URL of a request at the service's own address, with dot segments resolved. Throws `notFound` for an
 * invalid one.
 */
export function targetOf(ctx: Context, request: FastifyRequest): URL {
  // The host of an absolute target is that of the request, which needs not be the public one behind a proxy.
  const { pathname, search } = URL.parse(request.url, ctx.publicUrl) ?? noRoute();
  const target = new URL(ctx.publicUrl);
  target.pathname = pathname;
  target.search = search;
  const address = { path: decodeSafely(target.pathname), query: [...target.searchParams].flat() };
  const problem = findTextProblem(address);
  if (problem !== null) throw errors.invalid(problem);
  return target;
}

function decodeSafely(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

export function noRoute(): never {
  throw errors.notFound('This route does not exist. See /api/v1/openapi.json.');
}

/** Returns a JSON body as an object, which every route with a body takes. */
export function jsonBody(value: unknown): ForwardedBody {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw errors.invalid('body: not a JSON object. Send one.');
  const problem = findTextProblem(value);
  if (problem !== null) throw errors.invalid(problem);
  return { type: 'application/json', text: JSON.stringify(value) };
}

const MAX_FIELDS = 100;

export function formBody(text: string): ForwardedBody {
  if (text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS)
    throw errors.invalid(`body: more than ${MAX_FIELDS} fields. Send fewer.`);
  const fields = new URLSearchParams(text);
  for (const [name, value] of fields) {
    const problem = findTextProblem({ [name]: value });
    if (problem !== null) throw errors.invalid(problem);
  }
  return { type: 'application/x-www-form-urlencoded', text: fields.toString() };
}

/**
 * Not forwarded: headers about the connection or the original body, and proofs of possession (RFC 9449), which are not
 * supported.
 */
const HELD_BACK = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'content-type',
  'content-encoding',
  'dpop',
]);

/** Returns better-auth's response, including errors. */
export async function forwardToAuth(
  auth: Auth,
  request: FastifyRequest,
  { target, body, method = request.method }: ForwardedRequest,
): Promise<Response> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string' && !HELD_BACK.has(name)) headers.set(name, value);
  }
  headers.set(CLIENT_ADDRESS_HEADER, request.ip);
  if (body !== undefined) headers.set('content-type', body.type);
  const init = { method, headers, ...(body !== undefined && { body: body.text }) };
  return handleRequest(auth, new Request(target, init)).catch((error) => {
    // Two requests for the same email address at the same moment, or a passkey of another account.
    if (isUniqueViolation(error))
      throw errors.invalid('Another account has this email address or passkey.', { cause: error });
    throw error;
  });
}

/** Sends a response, applying `relocate` to the address that it redirects to. */
export async function sendResponse(
  reply: FastifyReply,
  response: Response,
  relocate: (location: string) => string = (location) => location,
): Promise<FastifyReply> {
  reply.code(response.status);
  copyHeaders(reply, response, relocate);
  if (response.status >= 400) throw await refusalOf(response);
  return reply.send(Buffer.from(await response.arrayBuffer()));
}

/** Returns the error in a response of better-auth. */
export async function refusalOf(response: Response): Promise<ApiError> {
  const refusal = (await response.json().catch(() => null)) as Parameters<typeof errorOf>[1];
  // The plugin for passkeys reports a malformed answer of a browser in the same way as its own failure.
  const status = refusal?.code === 'FAILED_TO_VERIFY_REGISTRATION' ? 400 : response.status;
  // The only expected failures: the document of a client cannot be fetched, or the single sign-on cannot be reached.
  const isPassing = status === 503 && (refusal?.error !== undefined || refusal?.code === 'SSO_UNAVAILABLE');
  if (status >= 500 && !isPassing) return errors.unexpected(undefined, { cause: refusal });
  const retryAfter = response.headers.get('x-retry-after');
  return errorOf(status, refusal, retryAfter === null ? undefined : Number(retryAfter));
}

function copyHeaders(reply: FastifyReply, response: Response, relocate: (location: string) => string): void {
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie') reply.header(name, name === 'location' ? relocate(value) : value);
  }
  // Each cookie needs a header of its own (RFC 6265, section 3).
  for (const cookie of response.headers.getSetCookie()) reply.header('set-cookie', cookie);
}

/** Responds with an error of these routes, in the form of RFC 6749 if `oauth` is set. */
export function sendAuthError(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  thrown: unknown,
  form: 'account' | 'oauth',
): FastifyReply {
  if (isError(thrown, 'limitReached')) countLimit(ctx.metrics, 'sign_ins', false);
  return sendError(ctx, request, reply, thrown, CODES.invalid, form === 'oauth' ? oauthFailure : accountFailure);
}

/** An error of better-auth: with `code` from its own routes, with `error` from its OAuth routes. */
type Refusal = { code?: unknown; message?: unknown; error?: unknown; error_description?: unknown };

/** Our codes for codes of better-auth. For others, the status decides. */
const CODES_OF_REASONS: Readonly<Record<string, ErrorCode>> = {
  INVALID_EMAIL_OR_PASSWORD: CODES.wrongSignIn,
  OWNS_GAMES: CODES.accountOwnsGames,
  SECOND_FACTOR_REQUIRED: CODES.secondFactorNeeded,
  ACCOUNT_DISABLED: CODES.accountDisabled,
  SESSION_NOT_FRESH: CODES.signInTooOld,
  INVALID_CODE: CODES.wrongSecondFactor,
  CODE_USED: CODES.wrongSecondFactor,
  INVALID_BACKUP_CODE: CODES.wrongSecondFactor,
  INVALID_TWO_FACTOR_COOKIE: CODES.secondFactorExpired,
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: CODES.secondFactorExpired,
  ACCOUNT_TEMPORARILY_LOCKED: CODES.limitReached,
  PASSKEY_NOT_FOUND: CODES.passkeyRefused,
  AUTHENTICATION_FAILED: CODES.passkeyRefused,
  CHALLENGE_NOT_FOUND: CODES.passkeyRefused,
  USER_NOT_VERIFIED: CODES.passkeyRefused,
  INVALID_ORIGIN: CODES.crossSite,
  MISSING_OR_NULL_ORIGIN: CODES.crossSite,
  CROSS_SITE_NAVIGATION_LOGIN_BLOCKED: CODES.crossSite,
};

const CODES_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: CODES.notSignedIn,
  404: CODES.notFound,
  429: CODES.limitReached,
  503: CODES.unavailable,
};

/** Returns the error with a code of the registry. `reason` keeps better-auth's own word for it. */
function errorOf(status: number, refusal: Refusal | null, retryAfter?: number): ApiError {
  const reason = textOf(refusal?.code) ?? textOf(refusal?.error);
  const message = textOf(refusal?.message) ?? textOf(refusal?.error_description);
  const code = CODES_OF_REASONS[reason ?? ''] ?? CODES_BY_STATUS[status] ?? CODES.invalid;
  const data: ErrorData = {
    ...(reason !== undefined && { reason }),
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
  };
  return new ApiError(code, message, {
    // better-auth's clients depend on it.
    status,
    ...(Object.keys(data).length > 0 && { data }),
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The envelope, with `code` and `message` next to it, where better-auth's clients look for them. */
function accountFailure(error: ApiError): Failure & { code?: string; message: string } {
  const { reason } = error.data ?? {};
  return { ...failureOf(error), ...(typeof reason === 'string' && { code: reason }), message: error.message };
}

type OAuthFailure = {
  error: string;
  error_description: string;
  success: false;
  code: ErrorCode;
  message: string;
};

/** RFC 6749, section 5.2, defines `error` as a string, so the members of our error are next to it. */
function oauthFailure(error: ApiError): OAuthFailure {
  const { code, message, data, status } = error;
  const word = typeof data?.reason === 'string' && /^[a-z_]+$/.test(data.reason) ? data.reason : undefined;
  const fallback = status >= 500 ? 'server_error' : status === 429 ? 'temporarily_unavailable' : 'invalid_request';
  return { error: word ?? fallback, error_description: message, success: false, code, message };
}
