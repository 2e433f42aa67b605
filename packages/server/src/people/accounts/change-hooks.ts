// Reports sign-ins in new browsers, and changes to how a person signs in. Runs after all other hooks of better-auth.

import { asSignInMethod, type SignInMethod } from '@chauffeur/contract/required-sign-in';
import type { BetterAuthPlugin } from 'better-auth';
import { createAuthMiddleware, getSessionFromCtx } from 'better-auth/api';
import { APIError } from 'better-call';
import type { Context } from '../../context.ts';
import { type Db, transact } from '../../kernel/database/db.ts';
import { newSecret } from '../../kernel/secrets/ids.ts';
import { findUserById } from './accounts.sql.ts';
import { BROWSER_COOKIE, BROWSER_COOKIE_LENGTH, BROWSER_COOKIE_SECONDS, noteBrowser } from './browsers.ts';
import { CLIENT_ADDRESS_HEADER } from './request-rules.ts';
import { forgetTrust, markTrustedBrowser, readFactors } from './second-factors.sql.ts';
import { type AccountChange, type RequestOrigin, reportChange } from './security-emails.ts';

/** Seconds after a sign-in in which its session may change how the person signs in without a password. */
export const FRESH_SECONDS = 3600;

/** What a successful request to these routes changed. */
const CHANGES: Readonly<Record<string, AccountChange['kind']>> = {
  '/change-password': 'password_changed',
  '/two-factor/disable': 'totp_removed',
  '/two-factor/generate-backup-codes': 'backup_codes_created',
  '/passkey/verify-registration': 'passkey_added',
  '/passkey/delete-passkey': 'passkey_removed',
};

/** Routes that need the password or, without one in the body, a fresh session. */
const SENSITIVE = new Set([
  ...['/two-factor/enable', '/two-factor/disable', '/two-factor/generate-backup-codes', '/passkey/delete-passkey'],
]);

/** Routes that remove a second factor. */
const REMOVING = new Set(['/two-factor/disable', '/passkey/delete-passkey']);

export type ChangeOptions = {
  readonly ctx: Context;
  readonly needsSecondFactor: (userId: string) => Promise<boolean>;
};

type HookContext = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0];
type AuthState = {
  readonly newSession: { user: AuthUser; session: { id: string } } | null;
  readonly session: { user: AuthUser; session: { createdAt: Date } } | null;
  readonly returned: unknown;
  createAuthCookie(name: string, attributes: { maxAge: number }): { name: string; attributes: object };
};
type AuthUser = { id: string; email: string; twoFactorEnabled?: boolean | null };

export function changeHooks(db: Db, options: ChangeOptions): BetterAuthPlugin {
  return {
    id: 'chauffeur-changes',
    hooks: {
      before: [
        { matcher: ({ path }) => SENSITIVE.has(path ?? ''), handler: createAuthMiddleware(requireFresh) },
        {
          matcher: ({ path }) => path === '/passkey/verify-registration',
          handler: createAuthMiddleware((request) => limitPasskeys(db, request)),
        },
        {
          matcher: ({ path }) => REMOVING.has(path ?? ''),
          handler: createAuthMiddleware((request) => keepLastFactor(db, options, request)),
        },
      ],
      after: [
        {
          matcher: () => true,
          handler: createAuthMiddleware(async (request) => {
            const state = request.context as unknown as AuthState;
            if (isSignInRoute(request.path) && state.newSession !== null) await noteSignIn(db, options, request, state);
            await noteChange(db, options, request, state);
          }),
        },
      ],
    },
  };
}

async function requireFresh(request: HookContext): Promise<void> {
  if (typeof request.body?.password === 'string' && request.body.password !== '') return;
  const current = await getSessionFromCtx(request);
  if (current === null || Date.now() - new Date(current.session.createdAt).getTime() < FRESH_SECONDS * 1000) return;
  throw new APIError('FORBIDDEN', { code: 'SESSION_NOT_FRESH', message: 'Sign in again, then repeat the change.' });
}

/** Each is sent to the browser when another one is added. */
const MAX_PASSKEYS = 100;

async function limitPasskeys(db: Db, request: HookContext): Promise<void> {
  const userId = (await getSessionFromCtx(request))?.user.id;
  if (userId === undefined || ((await readFactors(db, userId))?.passkeys ?? 0) < MAX_PASSKEYS) return;
  throw new APIError('BAD_REQUEST', {
    code: 'TOO_MANY_PASSKEYS',
    message: `This account has ${MAX_PASSKEYS} passkeys. Remove one that you no longer use first.`,
  });
}

/** Without it, the person could no longer reach the organisation. */
async function keepLastFactor(db: Db, options: ChangeOptions, request: HookContext): Promise<void> {
  const userId = (await getSessionFromCtx(request))?.user.id;
  const factors = userId === undefined ? undefined : await readFactors(db, userId);
  if (userId === undefined || factors === undefined) return;
  const left = request.path === '/two-factor/disable' ? factors.passkeys : factors.passkeys - 1 + Number(factors.totp);
  if (left > 0 || !(await options.needsSecondFactor(userId))) return;
  throw new APIError('CONFLICT', {
    code: 'SECOND_FACTOR_REQUIRED',
    message: 'An organisation requires a second factor, and this is your last one. Add another one first.',
  });
}

function originOf(headers: Headers | undefined): RequestOrigin {
  return { address: headers?.get(CLIENT_ADDRESS_HEADER) ?? '', userAgent: headers?.get('user-agent') ?? '' };
}

async function noteSignIn(db: Db, options: ChangeOptions, request: HookContext, state: AuthState): Promise<void> {
  const { user, session } = state.newSession!;
  // The plugin has already replaced the session if the browser was not trusted.
  if (request.path === '/sign-in/email' && user.twoFactorEnabled === true) await markTrustedBrowser(db, session.id);
  const { name, attributes } = state.createAuthCookie(BROWSER_COOKIE, { maxAge: BROWSER_COOKIE_SECONDS });
  const sent = request.getCookie(name) ?? '';
  const cookie = sent.length === BROWSER_COOKIE_LENGTH ? sent : newSecret(BROWSER_COOKIE_LENGTH);
  request.setCookie(name, cookie, attributes);
  const now = options.ctx.clock.now();
  const { address = '', userAgent = '' } = originOf(request.headers) ?? {};
  const isNews = await noteBrowser(db, { userId: user.id, cookie, userAgent, address }, now);
  if (isNews) await report(db, options, request, 'signed_in', user);
}

async function noteChange(db: Db, options: ChangeOptions, request: HookContext, state: AuthState): Promise<void> {
  const kind = changeOf(request.path, state);
  const user = state.session?.user ?? state.newSession?.user;
  if (kind === null || user === undefined) return;
  if (kind === 'password_changed' || kind === 'totp_removed') await forgetTrust(db, user.id);
  await report(db, options, request, kind, user);
}

function changeOf(path: string, { returned, session, newSession }: AuthState): AccountChange['kind'] | null {
  if (returned instanceof Error) return null;
  const change = CHANGES[path];
  if (change !== undefined) return session === null ? null : change;
  if (path === '/two-factor/verify-backup-code')
    return session === null && newSession !== null ? 'backup_code_used' : null;
  const isNew =
    session !== null && session.user.twoFactorEnabled !== true && newSession?.user.twoFactorEnabled === true;
  return path === '/two-factor/verify-totp' && isNew ? 'totp_added' : null;
}

async function report(
  db: Db,
  { ctx }: ChangeOptions,
  { headers }: HookContext,
  kind: AccountChange['kind'],
  { id, email }: AuthUser,
): Promise<void> {
  await transact(db, (tx) => reportChange(ctx, tx, { kind, userId: id, email }, originOf(headers)));
}

/** Reports that an account was connected to the single sign-on, or that its email changed. */
export async function reportUserChange(
  db: Db,
  { ctx }: ChangeOptions,
  kind: 'sso_linked' | 'email_changed',
  { userId, email, headers }: { userId: string; email?: string; headers: Headers | undefined },
): Promise<void> {
  const to = email ?? (await findUserById(db, userId))?.email;
  if (to === undefined) return;
  await transact(db, (tx) => reportChange(ctx, tx, { kind, userId, email: to }, originOf(headers)));
}

/** Routes of better-auth that start a session, with what they prove. */
const BY_ROUTE: Readonly<Record<string, SignInMethod>> = {
  '/sign-in/email': 'password',
  '/verify-email': 'email',
  '/two-factor/verify-totp': 'second_factor',
  '/two-factor/verify-backup-code': 'second_factor',
  '/passkey/verify-authentication': 'passkey',
  '/callback/:id': 'sso',
};

/** Whether a session that starts at this route is a sign-in, and not the continuation of another session. */
function isSignInRoute(route: string): boolean {
  return BY_ROUTE[route] !== undefined;
}

/** The method of a session that starts at `route`. A session that replaces another one continues its method. */
export function signInMethodOf(route: string | undefined, replaced: unknown): SignInMethod | null {
  return BY_ROUTE[route ?? ''] ?? asSignInMethod(replaced);
}
