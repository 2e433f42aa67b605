// The account routes below /api/auth that are open, which better-auth serves.
//
// Changes are recorded in the audit log like operations. Responses about an address that someone else may own take the
// same time whether or not it has an account: they wait for the next of regular moments.
import { setTimeout as wait } from 'node:timers/promises';
import { errors, isError } from '@chauffeur/contract/errors';
import { KIB } from '@chauffeur/contract/limits';
import { PAGES } from '@chauffeur/contract/pages';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context, User } from '../context.ts';
import { MINUTE } from '../kernel/clock.ts';
import { findUser } from '../people/accounts/accounts.sql.ts';
import { type Auth, RESEND_ROUTE, userOfHeaders } from '../people/accounts/accounts.ts';
import { countEmailRequest } from '../request/address-limit.ts';
import { ANONYMOUS_ACTOR, auditChange, auditDone, fromRequest, noteActor, record } from '../request/audit.ts';
import { isOwnOrigin } from '../request/origins.ts';
import { perContext } from '../request/per-context.ts';
import { countWriteOfAccount } from '../request/read-replica.ts';
import {
  forwardToAuth,
  jsonBody,
  noRoute,
  refusalOf,
  sendAuthError,
  sendResponse,
  targetOf,
} from './forward-to-auth.ts';
import { refuseApiToken } from './identify.ts';

const PREFIX = '/api/auth';
/** The largest body is the description of a new passkey, of a few kilobytes. */
const BODY_BYTES = 64 * KIB;
/** No route takes a long list. */
const MAX_VALUES = 1000;

/** Everything else that better-auth or one of its plugins serves is closed. */
const OPEN: Readonly<Record<'GET' | 'POST', readonly RegExp[]>> = {
  GET: [
    /^\/(get-session|list-sessions|verify-email|jwks)$/,
    /^\/reset-password\/[A-Za-z0-9_-]{1,100}$/,
    /^\/passkey\/(generate-register-options|generate-authenticate-options|list-user-passkeys)$/,
    /^\/callback\/sso$/,
  ],
  POST: [
    /^\/(sign-up|sign-in)\/email$/,
    /^\/(sign-out|send-verification-email|request-password-reset|reset-password)$/,
    /^\/(update-user|change-email|change-password|delete-user)$/,
    /^\/verify-email$/,
    /^\/revoke-(session|sessions|other-sessions)$/,
    /^\/two-factor\/(enable|disable|verify-totp|verify-backup-code|generate-backup-codes)$/,
    /^\/passkey\/(verify-registration|verify-authentication|update-passkey|delete-passkey)$/,
    /^\/sign-in\/social$/,
  ],
};

/** The link in an email. Programs that check emails open links, so it leads to a page with a button. */
const VERIFICATION = '/verify-email';
const SIGN_UP = '/sign-up/email';
/** Their responses do not reveal which accounts exist, and neither does their timing. */
const EVEN = new Set([SIGN_UP, '/request-password-reset', '/change-email']);
/** These routes can send an email to an address that the caller chooses. */
const EMAILING = new Set([...EVEN, RESEND_ROUTE]);

export function mountAccounts(app: FastifyInstance, ctx: Context, auth: Auth): void {
  app.route({
    method: ['GET', 'POST'],
    url: `${PREFIX}/*`,
    // These responses set and contain sessions and tokens.
    config: { operation: 'accounts', secret: true, maxValues: MAX_VALUES },
    bodyLimit: BODY_BYTES,
    errorHandler: (error, request, reply) => {
      sendAuthError(ctx, request, reply, error, 'account');
    },
    handler: async (request, reply) => {
      const begun = performance.now();
      refuseApiToken(request);
      const target = targetOf(ctx, request);
      const route = openRoute(request.method, target.pathname) ?? noRoute();
      if (route === VERIFICATION) {
        if (request.method === 'GET') return reply.redirect(`${PAGES.confirmEmail}${target.search}`);
        requireOwnPage(ctx, request);
      }
      if (EMAILING.has(route)) await countEmailRequest(ctx, request);
      const body = request.body === undefined ? undefined : jsonBody(request.body);
      const work = async () => {
        // The button sends a form, but better-auth only knows the link.
        const method = route === VERIFICATION ? 'GET' : request.method;
        const response = await forwardToAuth(auth, request, { target, body, method }).catch((error: unknown) =>
          answerResend(auth, request, route, error),
        );
        return route === SIGN_UP ? hideAccount(ctx, response, request.body) : response;
      };
      const recorded = () => fromRequest(request, () => recordAccountChange(ctx, auth, { request, route }, work));
      const response = EVEN.has(route) ? await waitForNextBeat(begun, recorded) : await recorded();
      if (ctx.replica !== undefined && request.method === 'POST' && response.ok) {
        const user = await userOfHeaders(auth, new Headers({ cookie: request.headers.cookie ?? '' }));
        if (user !== null) await countWriteOfAccount(ctx, user.id);
      }
      return sendResponse(reply, response, route === SSO_CALLBACK ? toSignInPage : undefined);
    },
  });
}

/** A link signs in, so a page of another site could otherwise sign its visitors in to its own account. */
function requireOwnPage(ctx: Context, { headers: { origin } }: FastifyRequest): void {
  if (origin !== undefined && !isOwnOrigin(ctx.publicUrl, origin)) throw errors.crossSite();
}

const SSO_CALLBACK = '/callback/sso';

/** A sign-in whose state is unknown has no page to return to; better-auth has one page for all errors. */
function toSignInPage(location: string): string {
  return location.startsWith('/consent?') ? location.replace('/consent?', '/sign-in?') : location;
}

/** Returns the route below the prefix; undefined if it is not open. */
function openRoute(method: string, pathname: string): string | undefined {
  if (!pathname.startsWith(`${PREFIX}/`)) return undefined;
  const route = pathname.slice(PREFIX.length);
  return OPEN[method as keyof typeof OPEN]?.some((pattern) => pattern.test(route)) ? route : undefined;
}

/**
 * Only the person who is signed in learns that their email is over its limit: others would learn that the account
 * exists.
 */
async function answerResend(auth: Auth, request: FastifyRequest, route: string, error: unknown): Promise<Response> {
  const isHidden = route === RESEND_ROUTE && isError(error, 'limitReached');
  if (!isHidden || (await userOfHeaders(auth, new Headers({ cookie: request.headers.cookie ?? '' }))) !== null)
    throw error;
  return Response.json({ status: true });
}

/** Everyone who signs up gets the same response, whether or not the account existed. */
async function hideAccount(ctx: Context, response: Response, body: unknown): Promise<Response> {
  if (response.status >= 400) {
    const { data } = await refusalOf(response.clone());
    if (data?.reason !== 'FAILED_TO_CREATE_USER') return response;
    // Another request with this address was faster; anything else is a failure of ours.
    const { email } = body as { email: string };
    if ((await findUser(ctx.db, email)) === null) throw new Error('better-auth could not create an account');
  }
  return Response.json({ status: true, message: 'Check your email.' });
}

/** These routes change nothing: they send an email, to an address that may not belong to anyone. */
const UNRECORDED = new Set(['/send-verification-email', '/request-password-reset']);
const SIGN_IN = '/sign-in/';
/** This many failed sign-ins from one address in a minute are recorded, once. */
const FAILURE_BURST = 10;
const MAX_ADDRESSES = 10_000;

/** Performs `work`, a call of an account route, and records it if it changes something. */
async function recordAccountChange(
  ctx: Context,
  auth: Auth,
  { request, route }: { request: FastifyRequest; route: string },
  work: () => Promise<Response>,
): Promise<Response> {
  if (request.method !== 'POST' || UNRECORDED.has(route)) return work();
  const cookie = request.headers.cookie ?? '';
  // Read before, because signing out and deleting the account end the session.
  const user = cookie === '' ? null : await userOfHeaders(auth, new Headers({ cookie }));
  const subject = { operation: operationOf(route), changesOnly: true, actor: ANONYMOUS_ACTOR };
  return record(ctx, subject, async () => {
    if (user !== null) noteActor(user);
    const response = await work();
    // The hooks of accounts record who confirmed an address.
    if (route === VERIFICATION) return response;
    if (response.ok) await noteSuccess(response, { route, user, body: request.body });
    else if (route.startsWith(SIGN_IN) && isBurst(ctx, request.ip)) auditChange('failed_sign_ins', 0, FAILURE_BURST);
    return response;
  });
}

/** `/sign-in/email` becomes `auth.signInEmail`. */
function operationOf(route: string): string {
  const [first = '', ...words] = route.split(/[/-]/).filter((word) => word !== '');
  return `auth.${first}${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`;
}

type Success = { readonly route: string; readonly user: User | null; readonly body: unknown };

async function noteSuccess(response: Response, { route, user, body }: Success): Promise<void> {
  const answer = (await response
    .clone()
    .json()
    .catch(() => null)) as { user?: { id?: unknown; name?: unknown } } | null;
  const { id, name } = answer?.user ?? {};
  if (user === null && typeof id === 'string' && typeof name === 'string') noteActor({ id, name });
  const newName = (body as { name?: unknown } | null | undefined)?.name;
  if (route === '/update-user' && typeof newName === 'string') auditChange('name', user?.name, newName);
  auditDone();
}

/** The failures of the current minute by address. */
const failuresOf = perContext(() => ({ minute: 0, counts: new Map<string, number>() }));

function isBurst(ctx: Context, address: string): boolean {
  const failures = failuresOf(ctx);
  const minute = Math.floor(ctx.clock.now().getTime() / MINUTE);
  if (failures.minute !== minute || failures.counts.size > MAX_ADDRESSES) failures.counts.clear();
  failures.minute = minute;
  const count = (failures.counts.get(address) ?? 0) + 1;
  failures.counts.set(address, count);
  return count === FAILURE_BURST;
}

/** Longer than either kind of work usually takes. */
const BEAT_MS = 250;

/** Runs `work`, and settles like it at the next interval after `begun`, a time of `performance.now()`. */
async function waitForNextBeat<T>(begun: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    const elapsed = performance.now() - begun;
    await wait(Math.ceil(elapsed / BEAT_MS) * BEAT_MS - elapsed);
  }
}
