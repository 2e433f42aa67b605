// Where this service has a say in what better-auth does: before a request, and before an account is stored.
import { tidyDisplayName } from '@chauffeur/contract/display-name';
import { createAuthMiddleware } from 'better-auth/api';
import { APIError } from 'better-call';
import type { Db } from '../../kernel/db.ts';
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

/** Every way to a name ends here, whichever route or plugin it comes by. */
function withTidyName<U extends NamedUser>(user: U): { data: U } {
  const refusal = refuseName(user.name);
  if (refusal !== null) throw refusalOf(refusal);
  return { data: { ...user, name: tidyDisplayName(String(user.name)) } };
}

/** What of an endpoint of better-auth is needed to answer from inside it. */
type Endpoint = {
  readonly path?: string;
  readonly query?: { readonly callbackURL?: string | undefined } | undefined;
  redirect(url: string): Error;
} | null;

/** The address may have been taken since the link was sent. A browser that followed the link is sent to a page that says so. */
async function checkNewEmail(db: Db, email: string, endpoint: Endpoint): Promise<void> {
  if ((await findUserByEmail(db, email)) === null) return;
  const page = endpoint?.query?.callbackURL;
  if (endpoint !== null && page !== undefined)
    throw endpoint.redirect(`${page}${page.includes('?') ? '&' : '?'}error=EMAIL_TAKEN`);
  throw new APIError('BAD_REQUEST', { code: 'EMAIL_TAKEN', message: 'Another account has this email address.' });
}

type Fields = Record<string, unknown>;

/** For `databaseHooks` of better-auth. */
export function databaseHooks(db: Db) {
  return {
    user: {
      create: { before: async <U extends NamedUser>(user: U) => withTidyName(user) },
      update: {
        before: async (fields: Fields, endpoint: Endpoint) => {
          if (typeof fields.email === 'string') await checkNewEmail(db, fields.email, endpoint);
          return { data: fields.name === undefined ? fields : withTidyName(fields).data };
        },
        // A link to reset the password is in a mailbox that may no longer be the account's.
        after: async ({ id }: { id: string }, endpoint: Endpoint) => {
          if (endpoint?.path === '/verify-email') await forgetResetLinks(db, id);
        },
      },
    },
  };
}

/** Carries what is reported about a reset of the password into the answer to it. */
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
