// Accounts: sign-up, sign-in, verification and sessions by better-auth; finding people; the operator's user commands.
import { betterAuth } from 'better-auth';
import { APIError } from 'better-call';
import type { Config } from '../../config.ts';
import type { Context, User } from '../../context.ts';
import { type Db, isMissingReference } from '../../kernel/db.ts';
import { newId } from '../../kernel/ids.ts';
import { addJob } from '../../kernel/jobs.ts';
import type { Mail } from '../../kernel/mail.ts';
import { isOwnOrigin } from '../../kernel/own-origin.ts';
import {
  deleteSessions,
  deleteUser,
  findUserByEmail,
  findUserById as findUserRow,
  forgetResetLinks,
  isOperator as isOperatorRow,
  keepServiceSecret,
  markVerified,
  setOperator,
} from './accounts.sql.ts';
import { checkRequest, databaseHooks, resetReports } from './auth-hooks.ts';
import { confirmChangeMail, existingAccountMail, newAddressMail, resetMail, verificationMail } from './mails.ts';
import { type AccessToken, CLOSED_OAUTH_ROUTES, type OAuthOptions, oauthPlugins, readAccessToken } from './oauth.ts';
import { refuseName } from './request-rules.ts';
import { mailJob } from './send-mail.job.ts';

export type Auth = ReturnType<typeof createAuth>;

/** Routes that somebody may try many times, to guess a password or to fill a mailbox. */
const GUESSABLE_ROUTES = [
  ...['/sign-in/email', '/sign-up/email', '/request-password-reset', '/send-verification-email'],
  ...['/change-email', '/change-password', '/delete-user'],
];

const VERIFICATION_SECONDS = 24 * 3600;

/** The secret that signs cookies: the configured one, or one that the first process made and all processes share. */
export async function readAuthSecret(db: Db, config: Config): Promise<string> {
  return config.secret ?? keepServiceSecret(db, 'auth');
}

export type AuthOptions = OAuthOptions & {
  secret: string;
  limitSignIns: number;
  /** Whether the person owns games, with which an account cannot be deleted. */
  ownsGames: (userId: string) => Promise<boolean>;
  /** Ends what acts for the person whose password was reset. What it reports is a part of the answer. */
  endAccess: (userId: string) => Promise<object>;
};

/** better-auth over this service's tables. Its routes live under `/api/auth`. */
export function createAuth(db: Db, options: AuthOptions) {
  const reports = resetReports();
  return betterAuth({
    appName: 'Chauffeur',
    baseURL: options.publicUrl,
    basePath: '/api/auth',
    secret: options.secret,
    trustedOrigins: (request) => ownOrigins(options.publicUrl, request?.headers.get('origin') ?? null),
    telemetry: { enabled: false },
    logger: { disabled: true },
    database: { db, type: 'postgres' },
    plugins: oauthPlugins(options),
    disabledPaths: CLOSED_OAUTH_ROUTES,
    // What nobody foresaw is answered, and logged, as everywhere else.
    onAPIError: { errorURL: '/consent', throw: true },
    hooks: { before: checkRequest, after: reports.answer },
    // biome-ignore lint/suspicious/noExplicitAny: the hooks name what they use of better-auth's types, which differ by plugin.
    databaseHooks: databaseHooks(db) as any,
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 10,
      // A session in the answer would tell a new account from an existing one.
      autoSignIn: false,
      onExistingUserSignUp: ({ user }) => addJob(db, mailJob, existingAccountMail(user.email, options.publicUrl)),
      revokeSessionsOnPasswordReset: true,
      onPasswordReset: async ({ user }, request) => reports.keep(request, await options.endAccess(user.id)),
      sendResetPassword: ({ user, url }) => addJob(db, mailJob, resetMail(user.email, url)),
    },
    emailVerification: {
      sendOnSignUp: true,
      autoSignInAfterVerification: true,
      expiresIn: VERIFICATION_SECONDS,
      // Of an account whose email is to change, better-auth names the new one here.
      sendVerificationEmail: async ({ user, url }) => {
        const current = await findUserRow(db, user.id);
        const isNew = current !== null && current.email !== user.email;
        await addJob(db, mailJob, (isNew ? newAddressMail : verificationMail)(user.email, url));
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
      deleteUser: {
        enabled: true,
        beforeDelete: async ({ id }) => {
          if (await options.ownsGames(id)) throw ownsGamesError();
          // Here, since better-auth deletes the parts of an account one after the other and may stop halfway.
          await deleteUser(db, id).catch((error) => {
            // A game was created, or received, since.
            throw isMissingReference(error) ? ownsGamesError() : error;
          });
        },
      },
      changeEmail: {
        enabled: true,
        sendChangeEmailConfirmation: ({ user, newEmail, url }) =>
          addJob(db, mailJob, confirmChangeMail(user.email, newEmail, url)),
      },
      modelName: 'users',
      // Read alone: nobody makes an operator of themselves.
      additionalFields: { operator: { type: 'boolean', required: false, input: false } },
      fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    session: {
      modelName: 'user_sessions',
      fields: {
        userId: 'user_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
    account: {
      modelName: 'user_credentials',
      fields: {
        userId: 'user_id',
        accountId: 'account_id',
        providerId: 'provider_id',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        idToken: 'id_token',
        accessTokenExpiresAt: 'access_token_expires_at',
        refreshTokenExpiresAt: 'refresh_token_expires_at',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
    verification: {
      modelName: 'user_verifications',
      fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    advanced: {
      cookiePrefix: 'chauffeur',
      useSecureCookies: options.publicUrl.startsWith('https:'),
      database: { generateId: () => newId() },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
    },
  });
}

function ownsGamesError(): APIError {
  return new APIError('CONFLICT', {
    code: 'OWNS_GAMES',
    message: 'The account owns games; transfer or delete them first.',
  });
}

/** The HTTP layer puts the client's address here before it hands a request to better-auth; a client cannot set it. */
export const CLIENT_ADDRESS_HEADER = 'x-chauffeur-client';

/** The person whose session the request's headers carry; null when nobody is signed in. */
export async function userOfHeaders(auth: Auth, headers: Headers): Promise<User | null> {
  const found = await auth.api.getSession({ headers });
  if (found === null) return null;
  const { id, name, email, emailVerified } = found.user;
  return { id, name, email, emailVerified };
}

/** The session that the request's headers carry; null when nobody is signed in. */
export async function sessionIdOf(auth: Auth, headers: Headers): Promise<string | null> {
  return (await auth.api.getSession({ headers }))?.session.id ?? null;
}

/** What an access token of the OAuth server says; null for a text that is none, or not for MCP, or over. */
export function accessTokenOf(auth: Auth, token: string): Promise<AccessToken | null> {
  return readAccessToken(auth.api, token);
}

/** The account with this email, or null. Email addresses are compared in lower case. */
export async function findUser(ctx: Context, email: string): Promise<User | null> {
  return findUserByEmail(ctx.db, email);
}

/** The account of this id, or null. */
export function findUserById(db: Db, id: string): Promise<User | null> {
  return findUserRow(db, id);
}

/** Ends every session of the account, and the links that were mailed to reset its password. Answers how many sessions there were. */
export async function endSessions(db: Db, userId: string): Promise<number> {
  await forgetResetLinks(db, userId);
  return deleteSessions(db, userId);
}

/** Whether the person runs the service, and may see how it is doing. */
export function isOperator(db: Db, userId: string): Promise<boolean> {
  return isOperatorRow(db, userId);
}

/** Sends a mail by a job, once the transaction is through that `db` may be. */
export function enqueueMail(db: Db, mail: Mail): Promise<void> {
  return addJob(db, mailJob, mail);
}

/** An operator's request concerns an account that exists already, or does not. */
export class AccountError extends Error {
  override readonly name = 'AccountError';
}

/** Creates an account as the operator. One that is not `verified` at once gets the verification mail. */
export async function createUser(
  ctx: Context,
  auth: Auth,
  input: { email: string; password: string; name: string; verified: boolean },
): Promise<User> {
  const email = input.email.trim().toLowerCase();
  const refusal = refuseName(input.name);
  if (refusal !== null) throw new AccountError(refusal.message);
  if ((await findUserByEmail(ctx.db, email)) !== null)
    throw new AccountError(`There is an account with the email ${email} already.`);
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

/** Marks an account's email as verified, as the operator. */
export async function verifyUser(ctx: Context, email: string): Promise<User> {
  await markVerified(ctx.db, email);
  const user = await findUserByEmail(ctx.db, email);
  if (user === null) throw new AccountError(`There is no account with the email ${email}.`);
  return user;
}

/** Makes an account an operator’s, or takes that from it. */
export async function setUserOperator(ctx: Context, email: string, operator: boolean): Promise<User> {
  const user = await findUserByEmail(ctx.db, email);
  if (user === null) throw new AccountError(`There is no account with the email ${email}.`);
  await setOperator(ctx.db, email, operator);
  return user;
}

/** The public URL and, on a loopback address, the other name of this machine under which a person may have opened the site. */
function ownOrigins(publicUrl: string, origin: string | null): string[] {
  return origin !== null && isOwnOrigin(publicUrl, origin) ? [publicUrl, origin] : [publicUrl];
}
