// Hooks into better-auth: before a request, and before an account is stored.
import { tidyDisplayName } from '@chauffeur/contract/display-name';
import { createAuthMiddleware } from 'better-auth/api';
import { APIError } from 'better-call';
import type { Db } from '../../kernel/database/db.ts';
import { findUserByEmail, forgetResetLinks } from './accounts.sql.ts';
import { type Refusal, refuseName, refuseRequest } from './request-rules.ts';

function refusalOf(refusal: Refusal): APIError {
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
  readonly query?: { readonly callbackURL?: string | undefined } | undefined;
  redirect(url: string): Error;
} | null;

/**
 * The address may have been taken since the link was sent. A browser that followed the link is redirected with an
 * error.
 */
async function checkNewEmail(db: Db, email: string, endpoint: Endpoint): Promise<void> {
  if ((await findUserByEmail(db, email)) === null) return;
  const page = endpoint?.query?.callbackURL;
  if (endpoint !== null && page !== undefined)
    throw endpoint.redirect(`${page}${page.includes('?') ? '&' : '?'}error=EMAIL_TAKEN`);
  throw new APIError('BAD_REQUEST', { code: 'EMAIL_TAKEN', message: 'Another account has this email address.' });
}

type Fields = Record<string, unknown>;

/** The `databaseHooks` of better-auth. */
export function databaseHooks(db: Db) {
  return {
    user: {
      create: { before: async <U extends NamedUser>(user: U) => withTidyName(user) },
      update: {
        before: async (fields: Fields, endpoint: Endpoint) => {
          if (typeof fields.email === 'string') await checkNewEmail(db, fields.email, endpoint);
          return { data: fields.name === undefined ? fields : withTidyName(fields).data };
        },
        // The password reset links are in a mailbox that may no longer belong to the account.
        after: async ({ id }: { id: string }, endpoint: Endpoint) => {
          if (endpoint?.path === '/verify-email') await forgetResetLinks(db, id);
        },
      },
    },
  };
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
