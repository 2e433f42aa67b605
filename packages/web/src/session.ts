// Who is signed in, and what they do about it: the account routes of the service.
import { ApiError, type ErrorCode } from '@chauffeur/contract/errors';
import { queryOptions } from '@tanstack/react-query';

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

/** Creates an account; its mail has a link that leads back to `/verify`. */
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

export function resetPassword(token: string, newPassword: string): Promise<unknown> {
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

type Refusal = { code?: string; message?: string; error?: string } | null;

async function reach<T>(method: 'GET' | 'POST', route: string, body?: object, signal?: AbortSignal): Promise<T> {
  const response = await fetch(`/api/auth/${route}`, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
  const answer = (await response.json().catch(() => null)) as T & Refusal;
  if (response.ok) return answer;
  const retryAfter = response.headers.get('retry-after');
  const requestId = response.headers.get('x-request-id');
  throw new ApiError(codeOf(response.status), messageOf(answer), {
    status: response.status,
    ...(retryAfter !== null && { data: { retry_after: Number(retryAfter) } }),
    ...(requestId !== null && { requestId }),
  });
}

function codeOf(status: number): ErrorCode {
  // Of a wrong password as well, but what to do then, the message says.
  if (status === 401) return 4002;
  return status === 429 ? 4290 : 4002;
}

/** In the words of this site, by the codes of the account service. */
const MESSAGES: Readonly<Record<string, string>> = {
  INVALID_EMAIL_OR_PASSWORD: 'Email or password is wrong.',
  USER_ALREADY_EXISTS: 'There is an account with this email. Sign in, or reset its password.',
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: 'There is an account with this email. Sign in, or reset its password.',
  PASSWORD_TOO_SHORT: 'The password needs at least 10 characters.',
  PASSWORD_TOO_LONG: 'The password is too long; 128 characters are the most.',
  INVALID_EMAIL: 'This is not an email address.',
  INVALID_PASSWORD: 'The password is wrong.',
  OWNS_GAMES: 'Your account owns games, which would be lost with it. Delete them first.',
  invalid_signature: 'This request is too old, or was changed on its way. Start again in the program.',
  INVALID_TOKEN: 'The link is no longer valid. Ask for a new one.',
};

function messageOf(refusal: Refusal): string {
  return MESSAGES[refusal?.code ?? refusal?.error ?? ''] ?? refusal?.message ?? 'The request was refused.';
}
