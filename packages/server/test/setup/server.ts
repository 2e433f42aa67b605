// Starts the real service in this process with a new database and folder, and creates accounts and games to call it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@chauffeur/contract/client';
import type { Role as GameRole } from '@chauffeur/contract/roles';
import { type App, startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { type Clock, systemClock } from '../../src/kernel/clock.ts';
import { transact } from '../../src/kernel/database/db.ts';
import { newId } from '../../src/kernel/secrets/ids.ts';
import { createLog, type Log } from '../../src/kernel/telemetry/log.ts';
import type { FetchDocument } from '../../src/people/accounts/client-documents.ts';
import { setRole } from '../../src/people/game-access/game-access.sql.ts';
import { createGameFor } from '../../src/people/games/games.ts';
import type { Role } from '../../src/roles.ts';
import { issueDeployKeyFor } from '../../src/ship/deploy-keys/deploy-keys.ts';
import { createAccount } from './create-account.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

export type TestServer = {
  readonly url: string;
  /** `url` with `/api/v1`. */
  readonly api: string;
  readonly ctx: Context;
  readonly app: App;
  readonly database: TestDatabase;
  readonly dataFolder: string;
  stop(): Promise<void>;
};

type Options = {
  /** Settings by the names of their environment variables. */
  env?: Record<string, string>;
  role?: Role;
  clock?: Clock;
  log?: Log;
  /** Fetches the documents of OAuth clients. */
  fetchDocument?: FetchDocument;
  /** Uses the database and folder of this server, as a second process of one service. */
  shareWith?: TestServer;
  /** Uses this database, and removes it in the end. */
  database?: TestDatabase;
};

/** Starts the service. Stopping it also removes its database and folder, unless it shares those of another server. */
export async function startServer({
  env = {},
  role = 'start',
  clock = systemClock,
  log,
  fetchDocument,
  shareWith,
  database: own,
}: Options = {}): Promise<TestServer> {
  const database = own ?? shareWith?.database ?? (await createTestDatabase());
  const dataFolder = shareWith?.dataFolder ?? (await mkdtemp(join(tmpdir(), 'chauffeur-test-')));
  const config = readConfig({
    CHAUFFEUR_PORT: '0',
    CHAUFFEUR_DATA: dataFolder,
    DATABASE_URL: database.url,
    CHAUFFEUR_DATABASE_CONNECTIONS: '8',
    // Tests sign in many accounts from one address.
    CHAUFFEUR_LIMIT_SIGN_INS: '0',
    CHAUFFEUR_LIMIT_MAIL_REQUESTS: '0',
    ...env,
  });
  const ourLog = log ?? createLog(process.env.TEST_LOG ?? 'silent');
  const app = await startApp(config, role, { log: ourLog, clock, fetchDocument });
  await hashOnce(app.auth);
  const url = app.url ?? '';
  return {
    url,
    api: `${url}/api/v1`,
    ctx: app.ctx,
    app,
    database,
    dataFolder,
    async stop() {
      await app.close();
      if (shareWith !== undefined) return;
      await database.drop();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

/** A clock that never advances: with it, no minute or hour of a limit ends during a test. */
export function stoppedClock(): Clock {
  const at = new Date();
  return { now: () => at };
}

/** Hashing is slow on purpose, and almost all accounts in tests have the same password. */
const hashes = new Map<string, Promise<string>>();
const matches = new Map<string, Promise<boolean>>();

async function hashOnce(auth: App['auth']): Promise<void> {
  const { password } = await auth.$context;
  const { hash, verify } = password;
  password.hash = (text) => hashes.getOrInsertComputed(text, () => hash(text));
  password.verify = (sent) => matches.getOrInsertComputed(`${sent.hash} ${sent.password}`, () => verify(sent));
}

export type TestGame = {
  uid: string;
  slug: string;
  keyHeaders: { 'x-access-token': string; 'x-secret-key': string };
  owner: { id: string; email: string; password: string };
  /** Calls operations with the deploy key. */
  client: Client;
};

/** The address of the API: that of a server in this process or in another. */
export type Api = Pick<TestServer, 'api'>;
/** The headers with the deploy key of a game. */
export type KeyHolder = { readonly keyHeaders: Readonly<Record<string, string>> };

type GameOptions = { verified?: boolean; visibility?: 'public' | 'invisible' | 'draft' };

/** Creates an account with a game and a deploy key. */
export async function makeGame(
  server: TestServer,
  { verified = true, visibility = 'public' }: GameOptions = {},
): Promise<TestGame> {
  const email = `owner-${newId()}@example.com`;
  const password = 'correct horse battery';
  const user = await createAccount(server, { email, password, name: 'Owner', verified });
  const game = await createGameFor(server.ctx, user.id, { name: `Game ${newId()}`, visibility });
  const key = await issueDeployKeyFor(server.ctx, game.game_uid, 'test');
  const keyHeaders = { 'x-access-token': key.access_token, 'x-secret-key': key.secret_key };
  return {
    uid: game.game_uid,
    slug: game.slug,
    keyHeaders,
    owner: { id: user.id, email, password },
    client: createClient({ url: server.api, headers: keyHeaders }),
  };
}

/** Signs in over HTTP. Returns the header with the session cookie. */
export async function signIn(
  server: Pick<TestServer, 'url'>,
  account: { email: string; password: string },
): Promise<{ cookie: string }> {
  const response = await fetch(`${server.url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: server.url },
    body: JSON.stringify(account),
  });
  if (!response.ok) throw new Error(`sign-in returned ${response.status}: ${await response.text()}`);
  return {
    cookie: response.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; '),
  };
}

/** Creates an account and signs it in. */
export async function makePlayer(
  server: TestServer,
): Promise<{ id: string; email: string; headers: { cookie: string } }> {
  const account = { email: `player-${newId()}@example.com`, password: 'correct horse battery' };
  const user = await createAccount(server, { ...account, name: 'Player', verified: true });
  return { id: user.id, email: account.email, headers: await signIn(server, account) };
}

/** Makes a person an admin without an invitation. */
export function makeAdmin(server: TestServer, gameId: string, person: { id: string }): Promise<void> {
  return makeMember(server, gameId, person, 'admin');
}

/** Gives a person a role on the game alone, without an invitation. */
export function makeMember(
  server: TestServer,
  gameId: string,
  person: { id: string },
  role: Exclude<GameRole, 'owner'>,
): Promise<void> {
  return transact(server.ctx.db, (tx) => setRole(tx, gameId, person.id, role));
}

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of any shape.
type Data = any;
export type ApiResponse = {
  status: number;
  headers: Headers;
  body: { success: boolean; data?: Data; error?: { code: number; message: string; data?: Data } };
};

/** Sends a request and parses the JSON of the response. */
export async function request(url: string, init: RequestInit = {}): Promise<ApiResponse> {
  const response = await fetch(url, { ...init, duplex: 'half' } as RequestInit);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}
