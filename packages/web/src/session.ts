// Who is signed in, and what they do about it: the account routes of the service.
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
  /** Runs the service, and sees /operator. */
  readonly operator?: boolean | null;
};

/** The person who is signed in; null for a visitor. */
export const session = queryOptions({
  queryKey: ['session'] as const,
  queryFn: async ({ signal }): Promise<Person | null> => {
    const found = await reach<{ user: Person } | null>('GET', 'get-session', undefined, signal);
    return found?.user ?? null;
  },
  staleTime: 60_000,
});

export type Credentials = { email: string; password: string };

export function signIn(credentials: Credentials): Promise<unknown> {
  return reach('POST', 'sign-in/email', credentials);
}

/** Creates an account; its mail has a link that leads back to `/verify`. Answers the same where there is one already. */
export function signUp(account: Credentials & { name: string }): Promise<unknown> {
  return reach('POST', 'sign-up/email', { ...account, callbackURL: '/verify' });
}

export function signOut(): Promise<unknown> {
  return reach('POST', 'sign-out', {});
}

export function sendVerification(email: string): Promise<unknown> {
  return reach('POST', 'send-verification-email', { email, callbackURL: '/verify' });
}

/** Mails a link to `/reset`; answers the same whether or not there is such an account. */
export function requestReset(email: string): Promise<unknown> {
  return reach('POST', 'request-password-reset', { email, redirectTo: '/reset' });
}

/** Ends all sessions, personal keys and connections of programs; answers which, and what still works. */
export function resetPassword(token: string, newPassword: string): Promise<Report> {
  return reach('POST', 'reset-password', { token, newPassword });
}

export type Visit = {
  readonly id: string;
  readonly token: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly userAgent: string | null;
  readonly ipAddress: string | null;
};

/** Where this person is signed in, with the one of this browser first. */
export const visits = queryOptions({
  queryKey: ['session', 'visits'] as const,
  queryFn: async ({ signal }): Promise<{ own: string; all: Visit[] }> => {
    const [current, all] = await Promise.all([
      reach<{ session: Visit } | null>('GET', 'get-session', undefined, signal),
      reach<Visit[]>('GET', 'list-sessions', undefined, signal),
    ]);
    const own = current?.session.id ?? '';
    return { own, all: all.toSorted((a, b) => Number(b.id === own) - Number(a.id === own)) };
  },
});

export function endVisit(token: string): Promise<unknown> {
  return reach('POST', 'revoke-session', { token });
}

export function endOtherVisits(): Promise<unknown> {
  return reach('POST', 'revoke-other-sessions', {});
}

/** Mails a link to the address of now, and once that is opened, one to the new address. */
export function changeEmail(newEmail: string): Promise<unknown> {
  const page = `/verify?${new URLSearchParams({ email: newEmail })}`;
  return reach('POST', 'change-email', { newEmail, callbackURL: page });
}

export function rename(name: string): Promise<unknown> {
  return reach('POST', 'update-user', { name });
}

/** All other sessions end with it. */
export function changePassword(currentPassword: string, newPassword: string): Promise<unknown> {
  return reach('POST', 'change-password', { currentPassword, newPassword, revokeOtherSessions: true });
}

export function deleteAccount(password: string): Promise<unknown> {
  return reach('POST', 'delete-user', { password });
}

/** Tells the OAuth server what the person decided; answers where to go on. `query` is what the page was opened with. */
export function answerConsent({
  accept,
  scope,
  query,
}: {
  accept: boolean;
  scope: string;
  query: string;
}): Promise<{ url: string }> {
  return reach('POST', 'oauth2/consent', { accept, scope, oauth_query: query });
}

async function reach<T>(method: 'GET' | 'POST', route: string, body?: object, signal?: AbortSignal): Promise<T> {
  const response = await fetch(`/api/auth/${route}`, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) return answer as T;
  const { error, data } = (answer ?? {}) as Partial<Failure>;
  const requestId = response.headers.get('x-request-id');
  throw new ApiError(error?.code ?? 5000, messageOf(error), {
    status: response.status,
    ...(data !== undefined && { data }),
    ...(requestId !== null && { requestId }),
  });
}

/** In the words of this site, by the account service's own reasons. */
const MESSAGES: Readonly<Record<string, string>> = {
  INVALID_EMAIL_OR_PASSWORD: 'Incorrect email or password.',
  PASSWORD_TOO_SHORT: 'The password needs at least 10 characters.',
  PASSWORD_TOO_LONG: 'The password is too long. Use at most 128 characters.',
  INVALID_EMAIL: 'This is not an email address.',
  INVALID_PASSWORD: 'Incorrect password.',
  OWNS_GAMES: 'Your account owns games. Transfer or delete them first.',
  other_session:
    'This request was started in another browser or before you signed in again. Start again in the program.',
  invalid_signature: 'This request has expired or was changed. Start again in the program.',
  INVALID_TOKEN: 'The link is no longer valid. Ask for a new one.',
};

function messageOf(error: Failure['error'] | undefined): string {
  const reason = error?.data?.reason;
  return (typeof reason === 'string' ? MESSAGES[reason] : undefined) ?? error?.message ?? 'The request was refused.';
}
