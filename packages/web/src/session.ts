// The signed-in person, and the calls to the server's account routes.
import type { Failure } from '@chauffeur/contract/envelope';
import { ApiError } from '@chauffeur/contract/errors';
import type { ResetReport } from '@chauffeur/contract/operations/credentials';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';

export type Report = Static<typeof ResetReport>;

export type Person = {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly emailVerified: boolean;
  /** May open /operator. */
  readonly operator?: boolean | null;
};

/** The signed-in person; null for visitors. */
export const session = queryOptions({
  queryKey: ['session'] as const,
  queryFn: async ({ signal }): Promise<Person | null> => {
    const current = await request<{ user: Person } | null>('GET', 'get-session', undefined, signal);
    return current?.user ?? null;
  },
  staleTime: 60_000,
});

export type Credentials = { email: string; password: string };

export function signIn(credentials: Credentials): Promise<unknown> {
  return request('POST', 'sign-in/email', credentials);
}

/** Creates an account and emails a link to `/verify`. The response is the same if the account already exists. */
export function signUp(account: Credentials & { name: string }): Promise<unknown> {
  return request('POST', 'sign-up/email', { ...account, callbackURL: '/verify' });
}

export function signOut(): Promise<unknown> {
  return request('POST', 'sign-out', {});
}

export function sendVerification(email: string): Promise<unknown> {
  return request('POST', 'send-verification-email', { email, callbackURL: '/verify' });
}

/** Emails a link to `/reset`. The response is the same whether or not the account exists. */
export function requestReset(email: string): Promise<unknown> {
  return request('POST', 'request-password-reset', { email, redirectTo: '/reset' });
}

/** Sets the password, ends all sessions, and revokes personal keys and agents. Returns what was revoked and what still works. */
export function resetPassword(token: string, newPassword: string): Promise<Report> {
  return request('POST', 'reset-password', { token, newPassword });
}

export type BrowserSession = {
  readonly id: string;
  readonly token: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly userAgent: string | null;
  readonly ipAddress: string | null;
};

/** The browsers where this person is signed in, this one first. */
export const browserSessions = queryOptions({
  queryKey: ['session', 'browsers'] as const,
  queryFn: async ({ signal }): Promise<{ ownId: string; all: BrowserSession[] }> => {
    const [current, all] = await Promise.all([
      request<{ session: BrowserSession } | null>('GET', 'get-session', undefined, signal),
      request<BrowserSession[]>('GET', 'list-sessions', undefined, signal),
    ]);
    const ownId = current?.session.id ?? '';
    return { ownId, all: all.toSorted((a, b) => Number(b.id === ownId) - Number(a.id === ownId)) };
  },
});

export function endSession(token: string): Promise<unknown> {
  return request('POST', 'revoke-session', { token });
}

export function endOtherSessions(): Promise<unknown> {
  return request('POST', 'revoke-other-sessions', {});
}

/** Emails a link to the current address and, once it is opened, one to the new address. */
export function changeEmail(newEmail: string): Promise<unknown> {
  const page = `/verify?${new URLSearchParams({ email: newEmail })}`;
  return request('POST', 'change-email', { newEmail, callbackURL: page });
}

export function rename(name: string): Promise<unknown> {
  return request('POST', 'update-user', { name });
}

/** Also ends all other sessions. */
export function changePassword(currentPassword: string, newPassword: string): Promise<unknown> {
  return request('POST', 'change-password', { currentPassword, newPassword, revokeOtherSessions: true });
}

export function deleteAccount(password: string): Promise<unknown> {
  return request('POST', 'delete-user', { password });
}

/** Sends the person's decision to the OAuth server and returns the URL to continue at. `query` is the query string of the page. */
export function answerConsent({
  accept,
  scope,
  query,
}: {
  accept: boolean;
  scope: string;
  query: string;
}): Promise<{ url: string }> {
  return request('POST', 'oauth2/consent', { accept, scope, oauth_query: query });
}

async function request<T>(method: 'GET' | 'POST', route: string, body?: object, signal?: AbortSignal): Promise<T> {
  const response = await fetch(`/api/auth/${route}`, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
  const result: unknown = await response.json().catch(() => null);
  if (response.ok) return result as T;
  const { error, data } = (result ?? {}) as Partial<Failure>;
  const requestId = response.headers.get('x-request-id');
  throw new ApiError(error?.code ?? 5000, messageOf(error), {
    status: response.status,
    ...(data !== undefined && { data }),
    ...(requestId !== null && { requestId }),
  });
}

/** What to show for each reason of the account routes. */
const MESSAGES: Readonly<Record<string, string>> = {
  INVALID_EMAIL_OR_PASSWORD: 'Incorrect email or password.',
  PASSWORD_TOO_SHORT: 'The password is too short. Use at least 10 characters.',
  PASSWORD_TOO_LONG: 'The password is too long. Use at most 128 characters.',
  INVALID_EMAIL: 'Enter a valid email address.',
  INVALID_PASSWORD: 'Incorrect password.',
  OWNS_GAMES: 'Your account owns games. Transfer or delete them first.',
  other_session:
    'This request was started in another browser, or before you last signed in. Connect again from the agent.',
  invalid_signature: 'This request has expired or was changed. Connect again from the agent.',
  INVALID_TOKEN: 'This link is no longer valid. Request a new one.',
};

function messageOf(error: Failure['error'] | undefined): string {
  const reason = error?.data?.reason;
  return (typeof reason === 'string' ? MESSAGES[reason] : undefined) ?? error?.message ?? 'The request failed.';
}
