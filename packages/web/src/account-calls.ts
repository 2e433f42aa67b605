// The calls to the server's account routes, which only pages about accounts need.
import type { ResetReport } from '@chauffeur/contract/operations/credentials';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { request, requireOk, sendToAuth } from './session.ts';

export type Report = Static<typeof ResetReport>;

export type Credentials = { email: string; password: string };

/** Signs in with a password. If the account also needs a code, the sign-in waits for `enterCode`. */
export async function signIn(credentials: Credentials): Promise<'signed_in' | 'needs_code'> {
  const result = await request<{ twoFactorRedirect?: boolean }>('POST', 'sign-in/email', credentials);
  return result.twoFactorRedirect === true ? 'needs_code' : 'signed_in';
}

/** A code of an authenticator app, or a backup code. A trusted browser is not asked for 30 days. */
export type Code = { code: string; isBackup: boolean; trustDevice: boolean };

export function enterCode({ code, isBackup, trustDevice }: Code): Promise<unknown> {
  const route = isBackup ? 'two-factor/verify-backup-code' : 'two-factor/verify-totp';
  return request('POST', route, { code: isBackup ? code.trim() : code.replaceAll(/\s/g, ''), trustDevice });
}

/** Goes to the operator's single sign-on, which returns to `next`. */
export async function signInWithProvider(next: string): Promise<void> {
  const errorCallbackURL = `/sign-in?${new URLSearchParams({ next })}`;
  const body = { provider: 'sso', callbackURL: next, errorCallbackURL, disableRedirect: true };
  const { url } = await request<{ url: string }>('POST', 'sign-in/social', body);
  location.assign(url);
}

/** What confirms a change. Without a password, the session must be new. */
type Proof = { password?: string };

/** Creates the secret of an authenticator app, which is not asked for until `confirmApp`. */
export function addApp(proof: Proof): Promise<{ totpURI: string; backupCodes: string[] }> {
  return request('POST', 'two-factor/enable', proof);
}

export function confirmApp(code: string): Promise<unknown> {
  return request('POST', 'two-factor/verify-totp', { code: code.replaceAll(/\s/g, '') });
}

export function removeApp(proof: Proof): Promise<unknown> {
  return request('POST', 'two-factor/disable', proof);
}

/** Creates backup codes. Earlier ones no longer work. */
export function createBackupCodes(proof: Proof): Promise<{ backupCodes: string[] }> {
  return request('POST', 'two-factor/generate-backup-codes', proof);
}

export type Passkey = { readonly id: string; readonly name: string | null; readonly createdAt: string };

export const passkeys = queryOptions({
  queryKey: ['session', 'passkeys'] as const,
  queryFn: ({ signal }) => request<Passkey[]>('GET', 'passkey/list-user-passkeys', undefined, signal),
});

export function passkeyOptions(kind: 'register' | 'authenticate', signal?: AbortSignal): Promise<object> {
  return request('GET', `passkey/generate-${kind}-options`, undefined, signal);
}

export function sendPasskey(kind: 'registration' | 'authentication', body: object): Promise<unknown> {
  return request('POST', `passkey/verify-${kind}`, body);
}

export function renamePasskey(id: string, name: string): Promise<unknown> {
  return request('POST', 'passkey/update-passkey', { id, name });
}

export function deletePasskey(id: string): Promise<unknown> {
  return request('POST', 'passkey/delete-passkey', { id });
}

/** Creates an account and emails a link to `/verify`. The response is the same if the account already exists. */
export function signUp(account: Credentials & { name: string }): Promise<unknown> {
  return request('POST', 'sign-up/email', { ...account, callbackURL: '/verify' });
}

export function sendVerification(email: string): Promise<unknown> {
  return request('POST', 'send-verification-email', { email, callbackURL: '/verify' });
}

/** Emails a link to `/reset`. The response is the same whether or not the account exists. */
export function requestReset(email: string): Promise<unknown> {
  return request('POST', 'request-password-reset', { email, redirectTo: '/reset' });
}

/**
 * Sets the password, ends all sessions, and revokes personal keys and agents. Returns what was revoked and what still
 * works.
 */
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

/** Changes the password, and ends all other sessions. */
export function changePassword(currentPassword: string, newPassword: string): Promise<unknown> {
  return request('POST', 'change-password', { currentPassword, newPassword, revokeOtherSessions: true });
}

/** Exports everything that is stored about the account, as a JSON file. */
export async function exportAccount(): Promise<Blob> {
  return (await requireOk(await sendToAuth('POST', '/api/v1/account/export'))).blob();
}

export function deleteAccount(password: string): Promise<unknown> {
  return request('POST', 'delete-user', { password });
}

/**
 * Sends the person's decision to the OAuth server and returns the URL to continue at. `query` is the query string of
 * the page.
 */
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
