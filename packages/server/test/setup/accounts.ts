// Accounts over HTTP: signing up, signing in and opening mailed links the way a browser does.
import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { onlyRow } from '../../src/kernel/database/db.ts';
import { newId } from '../../src/kernel/secrets/ids.ts';
import { mailTo } from './mail.ts';
import { request, type TestServer } from './server.ts';

export type Account = { email: string; password: string };
export type SignedUp = Account & { cookie: string };

export function newAccount(): Account {
  return { email: `dev-${newId()}@example.com`, password: `secret ${newId()}` };
}

/** Posts JSON to a route below `/api/auth`, from a page of the server itself unless `headers` name another origin. */
export function postAuth(
  server: Pick<TestServer, 'url'>,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${server.url}/api/auth${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: server.url, ...headers },
    body: JSON.stringify(body),
  });
}

/** Creates an account, which is not verified yet, and signs it in. */
export async function signUp(server: TestServer): Promise<SignedUp> {
  const account = newAccount();
  const response = await postAuth(server, '/sign-up/email', { ...account, name: 'New Developer' });
  assert.equal(response.status, 200, await response.clone().text());
  return { ...account, cookie: cookieOf(await trySignIn(server, account)) };
}

/** Signs up and opens the verification link. */
export async function signUpVerified(server: TestServer): Promise<SignedUp> {
  const account = await signUp(server);
  await openLink((await mailTo(server, account.email, /Verify/)).link);
  return account;
}

/** Signs in, successfully or not. */
export function trySignIn(server: Pick<TestServer, 'url'>, { email, password }: Account): Promise<Response> {
  return postAuth(server, '/sign-in/email', { email, password });
}

/** The cookies that a response sets, as a browser sends them back. */
export function cookieOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

export async function isSignedIn(server: TestServer, cookie: string): Promise<boolean> {
  const { status } = await request(`${server.api}/games`, { headers: { cookie } });
  return status === 200;
}

export async function isVerified(server: TestServer, email: string): Promise<boolean> {
  const query = sql<{ email_verified: boolean }>`select email_verified from users where email = ${email}`;
  return (await onlyRow(server.ctx.db, query)).email_verified;
}

/** The user as the session shows it. */
export async function readSessionUser(server: TestServer, cookie: string): Promise<{ email: string; name: string }> {
  const session = await request(`${server.url}/api/auth/get-session`, { headers: { cookie } });
  return (session.body as unknown as { user: { email: string; name: string } }).user;
}

/** Opens the link of a mail without a cookie, presses the button of the page that asks, and follows no other redirect. */
export async function openLink(link: string): Promise<Response> {
  const opened = await fetch(link, { redirect: 'manual' });
  const isAsked = opened.headers.get('location')?.startsWith('/confirm-email?') === true;
  return isAsked ? fetch(link, { method: 'POST', redirect: 'manual' }) : opened;
}
