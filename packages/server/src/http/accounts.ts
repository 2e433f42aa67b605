// The account routes below /api/auth that are open, which better-auth serves.
import { errors, isError } from '@chauffeur/contract/errors';
import { KIB } from '@chauffeur/contract/limits';
import { PAGES } from '@chauffeur/contract/pages';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { findUser } from '../people/accounts/accounts.sql.ts';
import { type Auth, RESEND_ROUTE, userOfHeaders } from '../people/accounts/accounts.ts';
import { countEmailRequest } from '../request/address-limit.ts';
import { fromRequest } from '../request/audit.ts';
import { isOwnOrigin } from '../request/own-origin.ts';
import { countWriteOfAccount } from '../request/read-replica.ts';
import { recordAccountChange } from './audit-accounts.ts';
import { waitForNextBeat } from './even-time.ts';
import {
  forwardToAuth,
  jsonBody,
  noRoute,
  refusalOf,
  sendAuthError,
  sendResponse,
  targetOf,
} from './forward-to-auth.ts';

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
/** They can send an email to an address that the sender chooses. */
const MAILING = new Set([...EVEN, RESEND_ROUTE]);

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
      const target = targetOf(ctx, request);
      const route = openRoute(request.method, target.pathname) ?? noRoute();
      if (route === VERIFICATION) {
        if (request.method === 'GET') return reply.redirect(`${PAGES.confirmEmail}${target.search}`);
        requireOwnPage(ctx, request);
      }
      if (MAILING.has(route)) await countEmailRequest(ctx, request);
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
