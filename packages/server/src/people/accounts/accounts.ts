// Accounts: sign-up, sign-in, verification and sessions with better-auth; finding users; the operator's user commands.

import { tidyDisplayName } from '@chauffeur/contract/display-name';
import { errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import { asSignInMethod, type SignInMethod } from '@chauffeur/contract/required-sign-in';
import { betterAuth } from 'better-auth';
import { hashPassword, verifyPassword } from 'better-auth/crypto';
import { APIError } from 'better-call';
import type { Config } from '../../config.ts';
import type { AccountCaller, Context, User } from '../../context.ts';
import { SECOND } from '../../kernel/clock.ts';
import { type Db, isMissingReference, isUniqueViolation, type Tx, transact } from '../../kernel/database/db.ts';
import type { Email } from '../../kernel/email/email.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { cookieName, isOwnOrigin } from '../../request/origins.ts';
import type { EmailKind } from '../emails/email-kinds.ts';
import { enqueueEmail, requireEmail } from '../emails/emails.ts';
import {
  appointOperator as appointOperatorRow,
  deleteSessions,
  deleteUser,
  findSignInState,
  findUser,
  findUserById as findUserRow,
  forgetResetLinks,
  insertUser,
  keepServiceSecret,
  listLiveSessions as listLiveSessionRows,
  markVerified,
  readPasswordHash,
  setOperator,
} from './accounts.sql.ts';
import { checkRequest, databaseHooks, resetReports } from './auth-hooks.ts';
import { AUTH_TABLES, signInPlugins } from './auth-tables.ts';
import { changeHooks, FRESH_SECONDS } from './change-hooks.ts';
import { removeSecondFactor, setAccountDisabled } from './disabled-accounts.ts';
import { type AccessToken, CLOSED_OAUTH_ROUTES, type OAuthOptions, oauthPlugins, readAccessToken } from './oauth.ts';
import { CLIENT_ADDRESS_HEADER, refuseName } from './request-rules.ts';
import { forgetTrust } from './second-factors.sql.ts';
import {
  confirmChangeEmail,
  existingAccountEmail,
  newAddressEmail,
  resetEmail,
  verificationEmail,
} from './security-emails.ts';
import { type CookieFormat, storedTokenOf, toStoredTokens, withTokens } from './session-tokens.ts';
import { type SsoSettings, singleSignOn } from './sso.ts';
import { usedCodes } from './used-codes.ts';

export { removeSecondFactor, setAccountDisabled, storedTokenOf };

export type Auth = ReturnType<typeof createAuth>;

/** Sends the verification email again. */
export const RESEND_ROUTE = '/send-verification-email';

/** Routes that could be called repeatedly to guess a password or flood a mailbox. */
const GUESSABLE_ROUTES = [
  ...['/sign-in/email', '/sign-up/email', '/request-password-reset', RESEND_ROUTE],
  ...['/change-email', '/change-password', '/delete-user', '/two-factor/enable', '/two-factor/disable'],
  ...['/two-factor/verify-totp', '/two-factor/verify-backup-code', '/two-factor/generate-backup-codes'],
  ...['/passkey/verify-authentication', '/passkey/verify-registration', '/sign-in/social'],
];

const VERIFICATION_SECONDS = 24 * 3600;

/** The secret that signs cookies: the configured one, or one that the first process creates and all processes share. */
export async function readAuthSecret(db: Db, config: Config): Promise<string> {
  return config.secret ?? keepServiceSecret(db, 'auth');
}

/** The operator's single sign-on; undefined without one in the settings. */
export function ssoSettingsOf({ config, log }: Pick<Context, 'config' | 'log'>): SsoSettings | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = config;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  const { oidcName: name, oidcDomains: domains, oidcCreateAccounts: createsAccounts } = config;
  return { issuer, clientId, clientSecret, name, domains: domains?.split(',') ?? [], createsAccounts, log };
}

export type AuthOptions = OAuthOptions & {
  ctx: Context;
  secret: string;
  /** The operator's single sign-on; undefined without one. */
  sso: SsoSettings | undefined;
  limitSignIns: number;
  /** Gives the games of the person to other owners. False if there are none: such an account cannot be deleted. */
  leaveOrganisations: (userId: string) => Promise<boolean>;
  /** Whether an organisation that the person has access to requires a second factor. */
  needsSecondFactor: (userId: string) => Promise<boolean>;
  /** Revokes the credentials of a person whose password was reset. The result is included in the response. */
  endAccess: (userId: string) => Promise<object>;
};

/** Sets up better-auth with this service's tables. Its routes are below `/api/auth`. */
export function createAuth(db: Db, options: AuthOptions) {
  const reports = resetReports();
  const send = (kind: EmailKind, email: Email, accountId?: string) =>
    transact(db, (tx) => enqueueEmail(options.ctx, tx, kind, email, accountId === undefined ? {} : { accountId }));
  return betterAuth({
    appName: 'Chauffeur',
    baseURL: options.publicUrl,
    basePath: '/api/auth',
    secret: options.secret,
    trustedOrigins: (request) => ownOrigins(options.publicUrl, request?.headers.get('origin') ?? null),
    telemetry: { enabled: false },
    logger: { disabled: true },
    database: { db, type: 'postgres' },
    plugins: [
      ...oauthPlugins(options),
      ...signInPlugins(options.publicUrl),
      ...(options.sso === undefined ? [] : [singleSignOn(options.sso)]),
      usedCodes(db),
      changeHooks(db, options),
    ],
    disabledPaths: CLOSED_OAUTH_ROUTES,
    // Unexpected errors are thrown, so that they are handled and logged like all others.
    onAPIError: { errorURL: '/consent', throw: true },
    hooks: { before: checkRequest, after: reports.answer },
    // biome-ignore lint/suspicious/noExplicitAny: the hooks name what they use of better-auth's types, which differ by plugin.
    databaseHooks: databaseHooks(db, options) as any,
    emailAndPassword: {
      enabled: true,
      minPasswordLength: LIMITS.passwordMinLength,
      maxPasswordLength: LIMITS.passwordLength,
      // A session in the response would reveal whether the account is new.
      autoSignIn: false,
      onExistingUserSignUp: ({ user }) => send('existing_account', existingAccountEmail(user.email, options.publicUrl)),
      revokeSessionsOnPasswordReset: true,
      onPasswordReset: async ({ user }, request) => reports.keep(request, await options.endAccess(user.id)),
      sendResetPassword: ({ user, url }) => send('reset', resetEmail(user.email, url)),
    },
    emailVerification: {
      sendOnSignUp: true,
      autoSignInAfterVerification: true,
      expiresIn: VERIFICATION_SECONDS,
      // When the email of an account changes, better-auth passes the new one here.
      sendVerificationEmail: async ({ user, url }, request) => {
        const current = await findUserRow(db, user.id);
        const isNew = current !== null && current.email !== user.email;
        if (isNew) await send('new_email', newAddressEmail(user.email, url), user.id);
        else if (request === undefined || !request.url.includes(RESEND_ROUTE))
          await send('verify', verificationEmail(user.email, url));
        // The route is asked for nothing but the email.
        else await transact(db, (tx) => requireEmail(options.ctx, tx, 'verify', verificationEmail(user.email, url)));
      },
    },
    rateLimit: {
      enabled: options.limitSignIns > 0,
      storage: 'database',
      modelName: 'user_rate_limits',
      fields: { lastRequest: 'last_request' },
      customRules: Object.fromEntries(
        GUESSABLE_ROUTES.map((route) => [route, { window: 60, max: options.limitSignIns }]),
      ),
    },
    user: {
      ...AUTH_TABLES.user,
      deleteUser: {
        enabled: true,
        beforeDelete: async ({ id }) => {
          if (!(await options.leaveOrganisations(id))) throw ownsGamesError();
          // Deleted here in one transaction, because better-auth deletes an account in several steps and could fail
          // halfway.
          await deleteUser(db, id).catch((error) => {
            // The account became the owner of a game in the meantime.
            throw isMissingReference(error) ? ownsGamesError() : error;
          });
        },
      },
      changeEmail: {
        enabled: true,
        sendChangeEmailConfirmation: ({ user, newEmail, url }) =>
          send('change_email', confirmChangeEmail(user.email, newEmail, url), user.id),
      },
    },
    session: { ...AUTH_TABLES.session, freshAge: FRESH_SECONDS },
    account: { ...AUTH_TABLES.account, updateAccountOnSignIn: false },
    verification: AUTH_TABLES.verification,
    advanced: {
      // Its own prefix for HTTPS is weaker than that of cookieName.
      useSecureCookies: false,
      cookiePrefix: cookieName(options.publicUrl, '').slice(0, -1),
      defaultCookieAttributes: { secure: options.publicUrl.startsWith('https:') },
      database: { generateId: () => newId() },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
    },
  });
}

function ownsGamesError(): APIError {
  return new APIError('CONFLICT', {
    code: 'OWNS_GAMES',
    message:
      'This account owns games, and no one else does. Transfer or delete them, or make someone else an owner first.',
  });
}

/** The user of the session in the headers; null without a session. */
export async function userOfHeaders(auth: Auth, headers: Headers): Promise<User | null> {
  return (await sessionOfHeaders(auth, headers))?.user ?? null;
}

/** The user of the session in the headers, and how and when they signed in; null without a session. */
export async function sessionOfHeaders(
  auth: Auth,
  headers: Headers,
): Promise<{ user: User; method: SignInMethod | null; startedAt: Date } | null> {
  const session = await readSession(auth, headers);
  if (session === null) return null;
  const { id, name, email, emailVerified } = session.user;
  const { signInMethod, createdAt } = session.session;
  return {
    user: { id, name, email, emailVerified },
    method: asSignInMethod(signInMethod),
    startedAt: new Date(createdAt),
  };
}

/** The id of the session in the headers; null without a session. */
export async function sessionIdOf(auth: Auth, headers: Headers): Promise<string | null> {
  return (await readSession(auth, headers))?.session.id ?? null;
}

async function readSession(auth: Auth, headers: Headers) {
  return auth.api.getSession({ headers: toStoredTokens(headers, await cookieFormatOf(auth)) });
}

/** Passes a request to better-auth. Throws its unexpected errors. */
export async function handleRequest(auth: Auth, request: Request): Promise<Response> {
  return withTokens(request, await cookieFormatOf(auth), auth.handler);
}

async function cookieFormatOf(auth: Auth): Promise<CookieFormat> {
  const { secret, authCookies } = await auth.$context;
  return { secret, name: authCookies.sessionToken.name };
}

/** The content of an access token of the OAuth server; null if it is invalid, expired or not for MCP. */
export function accessTokenOf(auth: Auth, token: string): Promise<AccessToken | null> {
  return readAccessToken(auth.api, token);
}

/** Those of these session tokens, as they are stored, that are still valid. */
export function listLiveSessions({ db, clock }: Context, tokens: readonly string[]): Promise<ReadonlySet<string>> {
  return listLiveSessionRows(db, tokens, clock.now());
}

/** Whether the account exists and is not disabled. */
export async function isActive(db: Db, userId: string): Promise<boolean> {
  return (await findSignInState(db, userId))?.disabled === false;
}

/**
 * Ends every session of the account, including sign-ins that wait for a second factor, and deletes its password reset
 * links. Returns the number of sessions.
 */
export async function endSessions(db: Db, userId: string): Promise<number> {
  await forgetResetLinks(db, userId);
  await forgetTrust(db, userId);
  return deleteSessions(db, userId);
}

/** Throws `signInTooOld` if the person did not sign in within the last hour, as for changes of how they sign in. */
export function requireFreshSession({ clock }: Context, { signedInAt }: AccountCaller): void {
  const age = clock.now().getTime() - (signedInAt?.getTime() ?? 0);
  if (age >= FRESH_SECONDS * SECOND) throw errors.signInTooOld();
}

/** Stops anyone with a stolen session from guessing the password. */
const PASSWORD_LIMIT = { name: 'password confirmations', max: 20, windowSeconds: 3600, scope: 'account' } as const;

/**
 * Confirms that the signed-in person knows the password. Throws `wrongPassword` for a wrong one, and `limitReached`
 * after too many attempts.
 */
export async function requirePassword(ctx: Context, userId: string, password: string): Promise<void> {
  await countUse(ctx, ctx.db, userId, PASSWORD_LIMIT);
  const hash = await readPasswordHash(ctx.db, userId);
  if (hash === null || !(await verifyPassword({ hash, password }))) throw errors.wrongPassword();
}

/** An operator's command refers to a missing account, or to an existing one that should not exist. */
class AccountError extends Error {
  override readonly name = 'AccountError';
}

/** Creates an account for the operator. An account that is not `verified` gets the verification email. */
export async function createUser(
  ctx: Context,
  auth: Auth,
  input: { email: string; password: string; name: string; verified: boolean },
): Promise<User> {
  const email = input.email.trim().toLowerCase();
  const refusal = refuseName(input.name);
  if (refusal !== null) throw new AccountError(refusal.message);
  if ((await findUser(ctx.db, email)) !== null)
    throw new AccountError(`An account with the email ${email} already exists.`);
  const { internalAdapter, password } = await auth.$context;
  const { id, name } = await internalAdapter.createUser(
    { email, name: input.name, emailVerified: input.verified },
    { method: 'admin' },
  );
  await internalAdapter.linkAccount({
    userId: id,
    providerId: 'credential',
    accountId: id,
    password: await password.hash(input.password),
  });
  if (!input.verified) await auth.api.sendVerificationEmail({ body: { email } });
  return { id, name, email, emailVerified: input.verified };
}

/**
 * Creates a verified operator's account. Throws `invalid` for an invalid name, and for an email that another account
 * has.
 */
export async function createOperatorAccount(
  tx: Tx,
  input: { name: string; email: string; password: string },
): Promise<{ email: string }> {
  const refusal = refuseName(input.name);
  if (refusal !== null) throw errors.invalid(refusal.message);
  const email = input.email.trim().toLowerCase();
  const passwordHash = await hashPassword(input.password);
  try {
    await insertUser(tx, { id: newId(), name: tidyDisplayName(input.name), email, passwordHash, operator: true });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw errors.invalid(
      'email: an account with this email already exists. Sign in with it, and open the set-up page again.',
      { cause: error },
    );
  }
  return { email };
}

/** Makes an existing account an operator, and marks its email as verified. Throws `notSignedIn` if it was deleted. */
export async function appointOperator(tx: Tx, userId: string): Promise<void> {
  if (!(await appointOperatorRow(tx, userId))) throw errors.notSignedIn();
}

/** Marks an account's email as verified for the operator. */
export async function verifyUserByEmail(ctx: Context, email: string): Promise<User> {
  await markVerified(ctx.db, email);
  const user = await findUser(ctx.db, email);
  if (user === null) throw new AccountError(`No account has the email ${email}.`);
  return user;
}

/** Disables an account of the operator's choice, or enables it again. */
export async function setUserDisabled(ctx: Context, email: string, disabled: boolean): Promise<User> {
  const user = await findUser(ctx.db, email);
  if (user === null) throw new AccountError(`No account has the email ${email}.`);
  await setAccountDisabled(ctx, user.id, disabled, null);
  return user;
}

/** Removes the second factors of an account, whose owner lost them. */
export async function resetUserSecondFactor(ctx: Context, email: string): Promise<User & { removed: boolean }> {
  const user = await findUser(ctx.db, email);
  if (user === null) throw new AccountError(`No account has the email ${email}.`);
  return { ...user, ...(await removeSecondFactor(ctx, user.id)) };
}

/** Grants or revokes the operator role. */
export async function setUserOperator(ctx: Context, email: string, operator: boolean): Promise<User> {
  const user = await findUser(ctx.db, email);
  if (user === null) throw new AccountError(`No account has the email ${email}.`);
  await setOperator(ctx.db, email, operator);
  return user;
}

/** The public URL and, on a loopback address, another loopback name under which the site may be open. */
function ownOrigins(publicUrl: string, origin: string | null): string[] {
  return origin !== null && isOwnOrigin(publicUrl, origin) ? [publicUrl, origin] : [publicUrl];
}
