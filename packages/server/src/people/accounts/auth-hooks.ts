// Hooks into better-auth: before a request, and before and after accounts and sessions are stored.
import { tidyDisplayName } from '@chauffeur/contract/display-name';
import { APIError, createAuthMiddleware } from 'better-auth/api';
import type { Db } from '../../kernel/database/db.ts';
import { auditChange, noteActor } from '../../request/audit.ts';
import { deleteSession, findSignInState, findUser, forgetResetLinks } from './accounts.sql.ts';
import { type ChangeOptions, reportUserChange, signInMethodOf } from './change-hooks.ts';
import { type AuthRefusal, refuseName, refuseRequest } from './request-rules.ts';
import { issueToken } from './session-tokens.ts';
import { CODE_ROUTE, type CodeRequest, useCode } from './used-codes.ts';

function refusalOf(refusal: AuthRefusal): APIError {
  return new APIError('BAD_REQUEST', refusal);
}

export const checkRequest = createAuthMiddleware(async ({ path, body }) => {
  const refusal = refuseRequest(path, body);
  if (refusal !== null) throw refusalOf(refusal);
});

type NamedUser = { name?: unknown };

/** All routes and plugins that set a name pass through here. */
function withTidyName<U extends NamedUser>(user: U): { data: U } {
  const refusal = refuseName(user.name);
  if (refusal !== null) throw refusalOf(refusal);
  return { data: { ...user, name: tidyDisplayName(String(user.name)) } };
}

/** The parts of a better-auth endpoint that a hook needs to respond. */
type Endpoint = {
  readonly path?: string;
  readonly query?: { readonly callbackURL?: string | undefined; readonly token?: string | undefined } | undefined;
  readonly headers?: Headers | undefined;
  readonly request?: Request | undefined;
  readonly context?: { readonly session?: { readonly session?: { readonly signInMethod?: unknown } } | null };
  redirect(url: string): Error;
} | null;

/** A browser that followed a link is redirected to its page with the error; other requests get it as a response. */
function refuse(endpoint: Endpoint, status: 'BAD_REQUEST' | 'FORBIDDEN', refusal: AuthRefusal): Error {
  const page = endpoint?.query?.callbackURL;
  if (endpoint === null || page === undefined) return new APIError(status, refusal);
  return endpoint.redirect(`${page}${page.includes('?') ? '&' : '?'}error=${refusal.code}`);
}

/** The address may have been taken since the link was sent. */
async function checkNewEmail(db: Db, email: string, endpoint: Endpoint): Promise<void> {
  if ((await findUser(db, email)) === null) return;
  throw refuse(endpoint, 'BAD_REQUEST', { code: 'EMAIL_TAKEN', message: 'Another account has this email address.' });
}

type Fields = Record<string, unknown>;

const DISABLED: AuthRefusal = { code: 'ACCOUNT_DISABLED', message: 'An operator disabled this account.' };

/**
 * Every way to sign in ends here, once the person has proved who they are: so no one else learns whether an account is
 * disabled. A link in an email is not enough for an account with a second factor.
 */
async function checkSession(db: Db, userId: string, endpoint: Endpoint): Promise<void> {
  const state = await findSignInState(db, userId);
  if (state === undefined) return;
  if (state.disabled) throw refuse(endpoint, 'FORBIDDEN', DISABLED);
  if (endpoint?.path === '/verify-email' && state.has_second_factor)
    throw refuse(endpoint, 'FORBIDDEN', { code: 'SIGN_IN_FIRST', message: 'Sign in, then open the link again.' });
}

/** The `databaseHooks` of better-auth. */
export function databaseHooks(db: Db, options: ChangeOptions) {
  /** Requests that created an account, to which single sign-on was not connected later. */
  const created = new WeakSet<Request>();
  return {
    user: {
      create: {
        before: async <U extends NamedUser & { emailVerified?: unknown }>(user: U, endpoint: Endpoint) => {
          // Otherwise anyone could take an address that they only claim to have.
          if (endpoint?.path === '/callback/:id' && user.emailVerified !== true)
            throw new APIError('FORBIDDEN', { code: 'SSO_EMAIL_NOT_VERIFIED', message: 'The email is not verified.' });
          return withTidyName(user);
        },
        after: async (_user: unknown, endpoint: Endpoint) => {
          if (endpoint?.request !== undefined) created.add(endpoint.request);
        },
      },
      update: {
        before: async (fields: Fields, endpoint: Endpoint) => {
          if (typeof fields.email === 'string') await checkNewEmail(db, fields.email, endpoint);
          return { data: fields.name === undefined ? fields : withTidyName(fields).data };
        },
        after: async ({ id, name, email }: { id: string; name: string; email: string }, endpoint: Endpoint) => {
          if (endpoint?.path !== '/verify-email') return;
          noteActor({ id, name });
          // The password reset links are in a mailbox that may no longer belong to the account.
          await forgetResetLinks(db, id);
          const earlier = emailOfLink(endpoint.query?.token);
          const hasChanged = earlier !== null && earlier !== email;
          // The entry doesn't contain the addresses.
          auditChange(hasChanged ? 'email_changed' : 'email_verified', false, true);
          if (!hasChanged) return;
          await reportUserChange(db, options, 'email_changed', {
            userId: id,
            email: earlier,
            headers: endpoint.headers,
          });
        },
      },
    },
    account: {
      create: {
        // Tokens of the sign-on service are of no use here after the sign-in.
        before: async (account: Fields) => ({
          data: { ...account, accessToken: null, refreshToken: null, idToken: null },
        }),
        after: async ({ userId, providerId }: { userId: string; providerId: string }, endpoint: Endpoint) => {
          if (providerId === 'credential' || endpoint?.request === undefined || created.has(endpoint.request)) return;
          await reportUserChange(db, options, 'sso_linked', { userId, headers: endpoint.headers });
        },
      },
    },
    session: {
      create: {
        before: async (session: Fields & { userId: string }, endpoint: Endpoint) => {
          await checkSession(db, session.userId, endpoint);
          if (endpoint?.path === CODE_ROUTE) await useCode(db, session.userId, endpoint as unknown as CodeRequest);
          const replaced = endpoint?.context?.session?.session?.signInMethod;
          return { data: { ...session, token: issueToken(), signInMethod: signInMethodOf(endpoint?.path, replaced) } };
        },
        // The account may have been disabled since the check. Disabling it waits for sessions that are being stored.
        after: async ({ id, userId }: { id: string; userId: string }, endpoint: Endpoint) => {
          if ((await findSignInState(db, userId))?.disabled !== true) return;
          await deleteSession(db, id);
          throw refuse(endpoint, 'FORBIDDEN', DISABLED);
        },
      },
    },
  };
}

/** The address that a link from an email was sent for. Its signature has been checked. */
function emailOfLink(token: string | undefined): string | null {
  const { email } = JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString() || '{}');
  return typeof email === 'string' ? email : null;
}

/** Passes the report about a password reset into its response. */
export function resetReports() {
  const reports = new WeakMap<Request, object>();
  return {
    keep(request: Request | undefined, report: object): void {
      if (request !== undefined) reports.set(request, report);
    },
    answer: createAuthMiddleware(async ({ path, request, json }) => {
      const report = path === '/reset-password' && request !== undefined ? reports.get(request) : undefined;
      return report === undefined ? undefined : json({ status: true, ...report });
    }),
  };
}
