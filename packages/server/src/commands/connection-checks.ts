// The checks of `config check` that try what the settings name: the data folder, the database, the storage, the email
// server, the scanner, single sign-on and the clock. Each one only reads, or removes what it wrote.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { failureCodeOf } from '@chauffeur/contract/client';
import { formatBytes } from '@chauffeur/contract/format';
import { GIB } from '@chauffeur/contract/limits';
import pg from 'pg';
import type { Config } from '../config.ts';
import { download } from '../crash/symbols/sources/download.ts';
import { openBlobStore } from '../kernel/blobs/open.ts';
import type { BlobSettings } from '../kernel/blobs/store.ts';
import { systemClock } from '../kernel/clock.ts';
import { compareMigrations, MigrationError } from '../kernel/database/migrate.ts';
import { refuseTransactionPooling } from '../kernel/database/pooler.ts';
import { verifySmtp } from '../kernel/email/email.ts';
import { isLoopbackName } from '../kernel/network/loopback.ts';
import { INTERNET } from '../kernel/network/public-request.ts';
import { PRIVATE_FILE } from '../kernel/private-files.ts';
import { createClamdScanner } from '../kernel/scanner/clamd.ts';
import type { Log } from '../kernel/telemetry/log.ts';
import { type Check, fail, pass, TooSlowError, warn, withDeadline } from '../operate/setup/checks.ts';
import { explainEmailFailure } from '../operate/setup/email-test.ts';
import { testStorage } from '../operate/setup/storage-test.ts';
import { readLegalFiles } from '../request/legal-pages.ts';
import type { SymbolSource } from '../symbol-sources.ts';
import { explainMistake } from './fail.ts';

type Facts = {
  readonly config: Config;
  readonly publicUrl: string;
  readonly storage: BlobSettings;
  readonly log: Log;
};

export type ConfigPart =
  | 'settings'
  | 'data'
  | 'database'
  | 'storage'
  | 'address'
  | 'mail'
  | 'scanner'
  | 'sign-in'
  | 'symbols'
  | 'pages'
  | 'clock';

type ConnectionCheck = {
  readonly part: ConfigPart;
  /** The settings that it needs. It is left out if one of them is invalid. */
  readonly variables: readonly string[];
  readonly check: (facts: Facts) => Promise<Check[]>;
};

const TIMEOUT_MS = 10_000;

/** The checks are in the order in which an operator would fix what they find. */
export const CONNECTION_CHECKS: readonly ConnectionCheck[] = [
  { part: 'data', variables: ['CHAUFFEUR_DATA'], check: checkData },
  { part: 'database', variables: ['DATABASE_URL', 'CHAUFFEUR_DATABASE_CONNECTIONS'], check: checkDatabase },
  { part: 'database', variables: ['CHAUFFEUR_DATABASE_REPLICA_URL'], check: checkReplica },
  { part: 'storage', variables: ['CHAUFFEUR_BLOBS', 'CHAUFFEUR_DATA'], check: checkStorage },
  { part: 'address', variables: ['CHAUFFEUR_PUBLIC_URL', 'CHAUFFEUR_TRUST_PROXY'], check: checkAddress },
  { part: 'mail', variables: ['CHAUFFEUR_SMTP', 'CHAUFFEUR_MAIL_FROM'], check: checkMail },
  { part: 'scanner', variables: ['CHAUFFEUR_CLAMD', 'CHAUFFEUR_REQUIRE_SCAN'], check: checkScanner },
  { part: 'sign-in', variables: ['CHAUFFEUR_OIDC_ISSUER'], check: checkSignIn },
  {
    part: 'symbols',
    variables: ['CHAUFFEUR_SYMBOL_SOURCES', 'CHAUFFEUR_SYMBOL_PRIVATE_HOSTS'],
    check: checkSymbolSources,
  },
  { part: 'pages', variables: [], check: checkPages },
  { part: 'clock', variables: ['DATABASE_URL'], check: checkClock },
];

/** What the library says could contain a part of a password, so it is never repeated. */
function explain(error: unknown, otherwise: string, remedy: string): Check {
  const explanation = explainMistake(error);
  if (explanation === null) return fail(otherwise, remedy);
  const [, says = explanation, advice = remedy] = /^(.*?[.]) (.*)$/s.exec(explanation) ?? [];
  return fail(says, advice);
}

/** Enough for a few of the largest builds. */
const MIN_FREE_BYTES = 20 * GIB;

async function checkData({ config: { dataFolder } }: Facts): Promise<Check[]> {
  const stats = await stat(dataFolder).catch(() => null);
  if (stats === null) return [await checkParent(dataFolder)];
  if (!stats.isDirectory())
    return [fail(`${dataFolder} is a file where a folder is needed.`, 'Set CHAUFFEUR_DATA to another folder.')];
  const written = await probeFolder(dataFolder);
  return written.level === 'bad' ? [written] : [written, await checkSpace(dataFolder)];
}

/** The first start creates the folder and those above it. */
async function checkParent(folder: string): Promise<Check> {
  let parent = dirname(resolve(folder));
  while (parent !== dirname(parent) && (await stat(parent).catch(() => null)) === null) parent = dirname(parent);
  return access(parent, constants.W_OK | constants.X_OK).then(
    () => pass(`${folder} does not exist yet. The first start creates it.`),
    () =>
      fail(
        `${folder} does not exist, and this account may not create it in ${parent}.`,
        `Create it: mkdir -p ${folder}, and give it to the account of the server: chown <account> ${folder}.`,
      ),
  );
}

async function probeFolder(folder: string): Promise<Check> {
  const path = join(folder, `.config-check-${randomUUID()}`);
  const content = randomUUID();
  try {
    await writeFile(path, content, { mode: PRIVATE_FILE, flag: 'wx' });
    if ((await readFile(path, 'utf8')) !== content) throw new Error('the file has other content');
    return pass(`${folder} can be written and read.`);
  } catch (error) {
    return explain(error, `${folder} cannot be written.`, 'Run this command as the account of the server.');
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}

async function checkSpace(folder: string): Promise<Check> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  return free >= MIN_FREE_BYTES
    ? pass(`${formatBytes(free)} are free.`)
    : warn(`Only ${formatBytes(free)} are free.`, 'Free some space, use a larger disk, or store blobs in S3.');
}

async function checkDatabase({ config }: Facts): Promise<Check[]> {
  const { databaseUrl, dataFolder } = config;
  if (databaseUrl === undefined) {
    const exists = await stat(join(dataFolder, 'postgres')).catch(() => null);
    return exists === null ? [pass('The first start creates the embedded PostgreSQL.')] : [];
  }
  try {
    return await withClient(databaseUrl, (client) => inspect(client, config));
  } catch (error) {
    return [explain(error, 'The connection to PostgreSQL failed.', 'Check DATABASE_URL.')];
  }
}

async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    application_name: 'chauffeur-config-check',
  });
  // Without a listener, a connection that breaks would end the process. Its queries reject.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The oldest version that is supported, as `server_version_num`. */
const MIN_VERSION = 150_000;

type Server = {
  version: string;
  number: number;
  encoding: string;
  creates: boolean;
  standby: boolean;
  unsafe: string[];
  connections: number;
};

async function inspect(client: pg.Client, { databaseUrl, databaseConnections }: Config): Promise<Check[]> {
  const { rows } = await client.query<Server>(`select current_setting('server_version') as version,
      current_setting('server_version_num')::integer as number, current_setting('server_encoding') as encoding,
      coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as creates, pg_is_in_recovery() as standby,
      array(select name::text from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')
        and setting = 'off' order by name) as unsafe,
      current_setting('max_connections')::integer as connections`);
  const server = rows[0]!;
  return [
    server.number >= MIN_VERSION
      ? pass(`PostgreSQL ${server.version} responds.`)
      : fail(`PostgreSQL ${server.version} is too old.`, 'Update it to version 15 or newer.'),
    ...judgeServer(server, databaseConnections),
    await checkPooler(databaseUrl!),
    await checkSchema(client),
  ];
}

/** Lists only what is wrong. */
function judgeServer({ encoding, creates, standby, unsafe, connections }: Server, wanted: number): Check[] {
  const checks: Check[] = [];
  if (encoding !== 'UTF8')
    checks.push(
      fail(
        `The database has the encoding ${encoding}.`,
        'Create it with UTF8: createdb --encoding UTF8 --template template0.',
      ),
    );
  if (standby) checks.push(fail('This PostgreSQL is a read-only standby.', 'Use the address of the primary.'));
  if (!creates)
    checks.push(
      fail(
        'The user in DATABASE_URL may not create tables.',
        'As a superuser, make it the owner of the database: alter database <name> owner to <user>; or allow it: grant all on schema public to <user>.',
      ),
    );
  if (unsafe.length > 0)
    checks.push(
      fail(
        `PostgreSQL can lose stored data if its machine crashes: ${new Intl.ListFormat('en-GB').format(unsafe)} ${unsafe.length === 1 ? 'is' : 'are'} off.`,
        `Turn ${unsafe.length === 1 ? 'it' : 'them'} on in postgresql.conf.`,
      ),
    );
  // Each process opens two more than its pool has.
  if (wanted + 2 > connections)
    checks.push(
      fail(
        `PostgreSQL allows ${connections} connections, and each process of the server opens up to ${wanted + 2}.`,
        'Raise max_connections or lower CHAUFFEUR_DATABASE_CONNECTIONS.',
      ),
    );
  return checks;
}

async function checkPooler(databaseUrl: string): Promise<Check> {
  try {
    await refuseTransactionPooling(databaseUrl);
    return pass('Each connection has its own session.');
  } catch (error) {
    return explain(error, 'The pooler at DATABASE_URL shares sessions.', 'Set its pool_mode to session.');
  }
}

async function checkSchema(client: pg.Client): Promise<Check> {
  try {
    const { applied, pending } = await compareMigrations(client as never);
    if (applied.length === 0) return pass('The database is empty. The first start creates the tables.');
    return pending.length === 0
      ? pass('The tables are those of this version.')
      : pass(`The next start changes the tables. To see how, run: chauffeur-server migrate --check`);
  } catch (error) {
    if (error instanceof MigrationError) return fail(error.message, 'Use the version that fits the database.');
    throw error;
  }
}

async function checkReplica({ config: { databaseReplicaUrl: url } }: Facts): Promise<Check[]> {
  if (url === undefined) return [];
  try {
    return [
      await withClient(url, async (client) => {
        const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
        return rows[0]!.standby
          ? pass('The replica responds.')
          : fail('The database of CHAUFFEUR_DATABASE_REPLICA_URL is not a standby.', 'Use the address of the replica.');
      }),
    ];
  } catch {
    return [fail('The connection to the replica failed.', 'Check CHAUFFEUR_DATABASE_REPLICA_URL.')];
  }
}

/** Codes of connections that fail. `explain` takes them for those to the database. */
const AWAY = /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|TimeoutError)$/;

/** Files are in the data folder, which was checked. */
async function checkStorage({ config, storage, log }: Facts): Promise<Check[]> {
  if (storage.kind === 'files') return [];
  const blobs = openBlobStore(storage);
  try {
    // The whole test would write objects even if the bucket doesn't exist or may not be listed.
    await withDeadline(TIMEOUT_MS, blobs.check());
    return await testStorage({ blobs, config, log, clock: systemClock });
  } catch (error) {
    const isAway = error instanceof TooSlowError || AWAY.test(failureCodeOf(error));
    return isAway
      ? [fail('The S3 storage does not respond.', 'Check the endpoint and the region in CHAUFFEUR_BLOBS.')]
      : [explain(error, 'The S3 storage cannot be used.', 'Check CHAUFFEUR_BLOBS and the AWS credentials.')];
  } finally {
    await blobs.close();
  }
}

/** The settings alone decide: the server need not be running. */
async function checkAddress({ config: { trustProxy }, publicUrl }: Facts): Promise<Check[]> {
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol !== 'https:' || isLoopbackName(hostname) || trustProxy > 0) return [];
  return [
    warn(
      'The public URL has https, so a proxy ends TLS, but CHAUFFEUR_TRUST_PROXY is 0: all visitors seem to have the same address, and share its limits.',
      'Set CHAUFFEUR_TRUST_PROXY to the number of proxies in front of the server.',
    ),
  ];
}

/** Connects and signs in, and sends no email. */
async function checkMail({ config: { smtp } }: Facts): Promise<Check[]> {
  if (smtp === undefined) return [];
  try {
    await withDeadline(2 * TIMEOUT_MS, verifySmtp(smtp, TIMEOUT_MS));
    return [pass('The SMTP server responds, and accepts the user and the password. No email was sent.')];
  } catch (error) {
    return [explainEmailFailure(error instanceof TooSlowError ? { code: 'ETIMEDOUT' } : (error as Error), smtp)];
  }
}

async function checkScanner({ config: { clamd: address, clamdStreamLimit: streamLimit } }: Facts): Promise<Check[]> {
  if (address === undefined) return [];
  try {
    const scanner = createClamdScanner({
      address,
      streamLimit,
      timeouts: { connectMs: TIMEOUT_MS, idleMs: TIMEOUT_MS },
    });
    await scanner.ping();
    const { engine, signatures } = await scanner.version();
    return signatures === null
      ? [warn(`${engine} responds, but has no signatures.`, 'Make sure that freshclam runs.')]
      : [pass(`${engine} responds, with signatures ${signatures}.`)];
  } catch {
    return [
      fail(
        `clamd does not respond at ${address}.`,
        'Start clamd, check the address in CHAUFFEUR_CLAMD, and let this account use the socket.',
      ),
    ];
  }
}

async function checkSignIn({ config: { oidcIssuer: issuer } }: Facts): Promise<Check[]> {
  if (issuer === undefined) return [];
  const url = `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
  const remedy = 'Check CHAUFFEUR_OIDC_ISSUER, and that this machine can reach it.';
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const found: unknown = response.ok ? await response.json() : null;
    return typeof found === 'object' && found !== null && 'authorization_endpoint' in found
      ? [pass(`Single sign-on at ${issuer} responds.`)]
      : [fail(`${url} does not describe a provider of single sign-on.`, remedy)];
  } catch {
    return [fail(`Single sign-on at ${issuer} does not respond.`, remedy)];
  }
}

/** Asks each symbol server for a file that none has. */
async function checkSymbolSources({ config }: Facts): Promise<Check[]> {
  return Promise.all((config.symbolSources ?? []).map((source) => checkSymbolSource(source, config)));
}

const NO_SYMBOLS = ['config-check', '0'.repeat(33), 'config-check.sym'];

async function checkSymbolSource(source: SymbolSource, { symbolPrivateHosts: allowsPrivate }: Config): Promise<Check> {
  const name = `${source.kind}+${source.url}`;
  const internet = { ...INTERNET, allowsPrivate };
  const limits = { idleMs: TIMEOUT_MS, totalMs: TIMEOUT_MS };
  try {
    const file = await download(source, NO_SYMBOLS, { internet, signal: new AbortController().signal, ...limits });
    if (file === null) return pass(`The symbol server ${name} responds.`);
    file.close();
    return warn(
      `${name} returned a file for a name that no symbol server has.`,
      'Check its address in CHAUFFEUR_SYMBOL_SOURCES: this may be a page to sign in.',
    );
  } catch (error) {
    return fail(
      `The symbol server ${name} cannot be used: ${(error as Error).message}.`,
      'Check its address in CHAUFFEUR_SYMBOL_SOURCES, and that this machine can reach it.',
    );
  }
}

async function checkPages({ config }: Facts): Promise<Check[]> {
  try {
    readLegalFiles(config);
    return [];
  } catch (error) {
    return [fail((error as Error).message, 'The server does not start without this page.')];
  }
}

const MAX_CLOCK_DIFFERENCE_MS = 5000;

/** Compares the clock with that of the database's machine. The test of S3 fails too if the clock is wrong. */
async function checkClock({ config: { databaseUrl } }: Facts): Promise<Check[]> {
  if (databaseUrl === undefined) return [];
  try {
    const difference = await withClient(databaseUrl, async (client) => {
      const begun = Date.now();
      const { rows } = await client.query<{ ms: number }>(
        'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
      );
      return Math.abs((begun + Date.now()) / 2 - rows[0]!.ms);
    });
    return difference <= MAX_CLOCK_DIFFERENCE_MS
      ? [pass('The clock agrees with that of the database.')]
      : [
          fail(
            `The clocks of this machine and of the database differ by ${Math.round(difference / 1000)} s.`,
            'Synchronize both with NTP.',
          ),
        ];
  } catch {
    // The check of the database has reported why.
    return [];
  }
}
