// All settings of the server in one table: variable, default, parser and description. Nothing else reads process.env.
import { resolve } from 'node:path';
import { findNearestName } from '@chauffeur/contract/nearest-name';
import { readSymbolSources } from './symbol-sources.ts';

/** The settings are invalid. The message lists every problem and what to do about it. */
class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Parse<T> = (text: string) => T;
type Setting<T> = {
  readonly variable: string;
  /** The text as written in the environment; undefined if the setting has no default. */
  readonly fallback: string | undefined;
  readonly parse: Parse<T>;
  readonly doc: string;
};

/** A setting with a default. */
function setting<T>(variable: string, fallback: string, parse: Parse<T>, doc: string): Setting<T> {
  return { variable, fallback, parse, doc };
}

/** A setting without a default. */
function optional<T>(variable: string, parse: Parse<T>, doc: string): Setting<T | undefined> {
  return { variable, fallback: undefined, parse, doc };
}

const text: Parse<string> = (value) => value;
const folder: Parse<string> = (value) => resolve(value);

const flag: Parse<boolean> = (value) => {
  if (/^(1|true|yes|on)$/i.test(value)) return true;
  if (/^(0|false|no|off)$/i.test(value)) return false;
  throw new Error('use 1 or 0');
};

function number(min: number, max: number, { whole = true } = {}): Parse<number> {
  return (value) => {
    const parsed = Number(value);
    const fits = value.trim() !== '' && parsed >= min && parsed <= max && (!whole || Number.isInteger(parsed));
    if (!fits) throw new Error(`use ${whole ? 'a whole number' : 'a number'} from ${min} to ${max}`);
    return parsed;
  };
}

function url(...protocols: string[]): Parse<string> {
  return (value) => {
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
      throw new Error(`use a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`);
    }
    return value;
  };
}

/** An origin without a path, because each game has its own path. */
const playUrl: Parse<string> = (value) => {
  const address = url('http:', 'https:')(value).replace(/\/+$/, '');
  const { hostname, origin } = new URL(address);
  const isOrigin =
    origin === address.toLowerCase() && !hostname.slice(1).includes('*') && /^(\*\.)?[^*]+$/.test(hostname);
  if (!isOrigin) throw new Error('use a URL without a path; its host may start with a star');
  return address;
};

/** An address that everyone may see, to which paths are added. */
const publicAddress: Parse<string> = (value) => {
  const { username, password, search, hash } = new URL(url('http:', 'https:')(value));
  if (username + password + search + hash !== '') throw new Error('use a URL without a name, password or query');
  return value;
};

/** A page of the operator's: elsewhere, or in a file that is read at the start. */
const legalPage: Parse<string> = (value) => {
  if (/^https?:/i.test(value)) {
    const { username, password } = new URL(url('http:', 'https:')(value));
    if (username + password !== '') throw new Error('use a URL without a name or password');
    return value;
  }
  if (!/\.(md|markdown)$/i.test(value) || /^[a-z][a-z\d+.-]+:/i.test(value))
    throw new Error(
      'use a URL that starts with https:// or http://, or the path of a Markdown file, such as /etc/chauffeur/imprint.md',
    );
  return resolve(value);
};

/** Pages and the API have fixed paths below the root of the host. */
const publicOrigin: Parse<string> = (value) => {
  const address = publicAddress(value).replace(/\/+$/, '');
  if (new URL(address).pathname !== '/')
    throw new Error('use a URL without a path; the service needs its own host, such as https://games.example.com');
  return address;
};

/** Not always a valid WHATWG URL: `postgresql://user@/name?host=/socket/folder` has no host. */
const databaseUrl: Parse<string> = (value) => {
  if (!/^postgres(ql)?:\/\//.test(value)) throw new Error('use a URL that starts with postgres:// or postgresql://');
  return value;
};

function word<T extends string>(...words: readonly T[]): Parse<T> {
  return (value) => {
    const match = words.find((candidate) => candidate === value);
    if (match === undefined) throw new Error(`use one of ${words.join(', ')}`);
    return match;
  };
}

const limit = number(0, 1_000_000_000);

/** `on` and similar words mean one proxy, because the setting was a flag in earlier versions. */
const proxies: Parse<number> = (value) => (/^\d/.test(value) ? number(0, 16)(value) : Number(flag(value)));

/** Domains in lower case, separated by commas. */
const mailDomains: Parse<string> = (value) => {
  const domains = value.split(',').map((domain) => domain.trim().toLowerCase().replace(/^@/, ''));
  if (!domains.every((domain) => /^[^\s@,]+\.[^\s@,]+$/.test(domain)))
    throw new Error('use domains such as example.com');
  return domains.join(',');
};

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Origins as browsers send them, separated by commas. Without HTTPS, others in the network could change the page. */
const origins: Parse<string> = (value) => {
  const list = value.split(',').map((origin) => origin.trim().replace(/\/$/, ''));
  const isOrigin = (text: string) => {
    const { protocol, hostname = '', origin } = URL.parse(text) ?? {};
    return (
      origin === text &&
      !text.includes('*') &&
      (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname)))
    );
  };
  if (!list.every(isOrigin))
    throw new Error('use origins such as https://agent.example.com; http is possible only on this machine');
  return list.join(',');
};

/** `unix:/path`, or `host:port`, where an IPv6 address is in brackets. */
const scanner: Parse<string> = (value) => {
  const port = /^(?:\[[0-9a-f:.]+\]|[^:[\]/\s]+):(\d+)$/i.exec(value)?.[1];
  if (/^unix:\/./.test(value) || (Number(port) >= 1 && Number(port) <= 65_535)) return value;
  throw new Error('use unix:/path/of/clamd.sock or host:port, such as 127.0.0.1:3310');
};

/** An address with or without a name: `Studio <games@example.com>`. */
const sender: Parse<string> = (value) => {
  const address = /^[^<>\r\n]*<([^<>]+)>$/.exec(value)?.[1] ?? value;
  if (!/^[^\s@<>,;:"()[\]]+@[^\s@<>,;:"()[\]]+$/.test(address))
    throw new Error('use one address, such as games@example.com or Studio <games@example.com>');
  return value;
};

/** 0 for all days, otherwise at least one day more than the window of launch health. */
const healthDays: Parse<number> = (value) => {
  const days = number(0, 36_500)(value);
  if (days > 0 && days < 31) throw new Error('use 0, or a whole number from 31 to 36500');
  return days;
};

/** All settings. `docs/config.md` is generated from this table. */
export const SETTINGS = {
  host: setting('CHAUFFEUR_HOST', '127.0.0.1', text, 'Address to listen on.'),
  port: setting('CHAUFFEUR_PORT', '4000', number(0, 65_535), 'Port to listen on; 0 picks a free port.'),
  dataFolder: setting(
    'CHAUFFEUR_DATA',
    './data',
    folder,
    'Folder for the embedded PostgreSQL, blobs stored as files and the outbox of emails.',
  ),
  cliFolder: optional(
    'CHAUFFEUR_CLI_FOLDER',
    folder,
    'Folder with the `chauffeur` command that this server offers at `/cli`: the folder `command` of a release. Default: the package for npm; in a checkout, also the program for its own platform.',
  ),
  publicUrl: optional(
    'CHAUFFEUR_PUBLIC_URL',
    publicOrigin,
    'Public URL of the service, used in emails and links. Default: the address it listens on.',
  ),
  playUrl: optional(
    'CHAUFFEUR_PLAY_URL',
    playUrl,
    'URL on a separate domain where web builds are played, such as `https://*.games-play.example`. The star gives each game its own host and browser storage. Default: on a loopback address, hosts below `localhost`; otherwise, games are played on the public URL, isolated from the website and without storage.',
  ),
  downloadUrl: optional(
    'CHAUFFEUR_DOWNLOAD_URL',
    publicAddress,
    'URL of a CDN that fetches from this service. Downloads of public games are redirected to it. Default: downloads come from this service, or from S3.',
  ),
  databaseUrl: optional(
    'DATABASE_URL',
    databaseUrl,
    'URL of a PostgreSQL 15 or newer. Default: an embedded PostgreSQL in the data folder.',
  ),
  databaseConnections: setting(
    'CHAUFFEUR_DATABASE_CONNECTIONS',
    '20',
    number(4, 1000),
    'Maximum number of connections to PostgreSQL per process.',
  ),
  databaseReplicaUrl: optional(
    'CHAUFFEUR_DATABASE_REPLICA_URL',
    databaseUrl,
    'URL of streaming standbys of the PostgreSQL in `DATABASE_URL`, from which lists, health and charts are read. Set it for all processes that serve requests. Default: everything is read from the primary.',
  ),
  databaseReplicaSeconds: setting(
    'CHAUFFEUR_DATABASE_REPLICA_SECONDS',
    '5',
    number(2, 3600),
    'Maximum age, in seconds, of what is read from a replica. A replica that is further behind is not used.',
  ),
  blobs: optional(
    'CHAUFFEUR_BLOBS',
    url('s3:'),
    'Blob storage: `s3://bucket?endpoint=…&region=…`, with the credential variables of the AWS SDK. Default: files in the data folder.',
  ),
  clamd: optional(
    'CHAUFFEUR_CLAMD',
    scanner,
    'ClamAV daemon (clamd): `unix:/path` or `host:port`. Default: none; files are served with an "unscanned" badge.',
  ),
  clamdStreamLimit: setting(
    'CHAUFFEUR_CLAMD_STREAM_LIMIT',
    '26214400',
    number(1_048_576, 2_000_000_000),
    'Bytes per stream to clamd; at most the smallest of its StreamMaxLength, MaxFileSize and MaxScanSize.',
  ),
  requireScan: setting('CHAUFFEUR_REQUIRE_SCAN', '0', flag, 'Refuse to start without a scanner.'),
  smtp: optional(
    'CHAUFFEUR_SMTP',
    url('smtp:', 'smtps:'),
    'SMTP server, `smtp://user:password@host:port`. Default: emails are written to `outbox/` in the data folder.',
  ),
  mailFrom: setting('CHAUFFEUR_MAIL_FROM', 'Chauffeur <chauffeur@localhost>', sender, 'Sender of emails.'),
  imprintEn: optional(
    'CHAUFFEUR_IMPRINT_EN',
    legalPage,
    'Imprint in English: its URL, or a Markdown file. The website and emails then link to it; with only one of the two languages, everyone gets that one. Files are read at the start.',
  ),
  imprintDe: optional('CHAUFFEUR_IMPRINT_DE', legalPage, 'Imprint in German.'),
  privacyEn: optional(
    'CHAUFFEUR_PRIVACY_EN',
    legalPage,
    'Privacy policy in English: its URL, or a Markdown file. Like the imprint, and linked on the sign-up page.',
  ),
  privacyDe: optional('CHAUFFEUR_PRIVACY_DE', legalPage, 'Privacy policy in German.'),
  termsEn: optional(
    'CHAUFFEUR_TERMS_EN',
    legalPage,
    'Terms of use in English: its URL, or a Markdown file. Like the imprint; the sign-up page says that new accounts agree to them.',
  ),
  termsDe: optional('CHAUFFEUR_TERMS_DE', legalPage, 'Terms of use in German.'),
  secret: optional(
    'CHAUFFEUR_SECRET',
    text,
    'Secret that signs session cookies, at least 32 characters. Default: a secret is generated at the first start and stored in the database.',
  ),
  oidcIssuer: optional(
    'CHAUFFEUR_OIDC_ISSUER',
    url('https:', 'http:'),
    'Issuer of the OpenID provider for single sign-on, such as `https://login.example.com/realms/studio`. Needs the id and the secret of a client too. Default: no single sign-on.',
  ),
  oidcClientId: optional('CHAUFFEUR_OIDC_CLIENT_ID', text, 'Client id of this service at the OpenID provider.'),
  oidcClientSecret: optional(
    'CHAUFFEUR_OIDC_CLIENT_SECRET',
    text,
    'Client secret of this service at the OpenID provider.',
  ),
  oidcName: setting(
    'CHAUFFEUR_OIDC_NAME',
    'Single sign-on',
    text,
    'Name of the OpenID provider on the sign-in page, such as `Studio login`.',
  ),
  oidcDomains: optional(
    'CHAUFFEUR_OIDC_DOMAINS',
    mailDomains,
    'Domains of email addresses that may use single sign-on, separated by commas. Default: all domains.',
  ),
  oidcCreateAccounts: setting(
    'CHAUFFEUR_OIDC_CREATE_ACCOUNTS',
    '1',
    flag,
    'Whether single sign-on creates an account for a person without one.',
  ),
  trustProxy: setting(
    'CHAUFFEUR_TRUST_PROXY',
    '0',
    proxies,
    'Number of proxies in front of the server that append to X-Forwarded-For; 0 for none. The client address is read from that position: 1 for the last address in the header, 2 for the second to last. Addresses sent by the client itself are ignored.',
  ),
  sessionHours: setting(
    'CHAUFFEUR_SESSION_HOURS',
    '6',
    number(0.0001, 720, { whole: false }),
    'Lifetime of an upload session in hours; decimals are allowed.',
  ),
  uploadIdleSeconds: setting(
    'CHAUFFEUR_UPLOAD_IDLE_SECONDS',
    '30',
    number(1, 3600),
    'An upload that sends less than 1 KiB in this time is dropped, and so is any other request body that is not complete by then.',
  ),
  shutdownSeconds: setting(
    'CHAUFFEUR_SHUTDOWN_SECONDS',
    '600',
    number(0, 86_400),
    'Seconds a stopping server waits for uploads in progress.',
  ),
  symbolCacheMb: setting(
    'CHAUFFEUR_SYMBOL_CACHE_MB',
    '2048',
    number(1, 1_000_000),
    'With blobs on S3: MiB of compiled symbols that a worker caches in the data folder.',
  ),
  symbolSources: optional(
    'CHAUFFEUR_SYMBOL_SOURCES',
    readSymbolSources,
    'Symbol servers where modules without uploaded symbols are looked up, such as `breakpad+https://symbols.example.com`, `debuginfod+https://…` or `microsoft+https://…`, separated by spaces or commas, in the order in which they are asked; an address may have a user and a password. The names and ids of modules in crash reports are sent there, and all games share what is found. Set it for all processes. Default: none.',
  ),
  symbolSourcesMb: setting(
    'CHAUFFEUR_SYMBOL_SOURCES_MB',
    '10240',
    number(1, 100_000_000),
    'MiB of symbols from symbol servers that are kept. Above it, the least recently used are deleted.',
  ),
  symbolPrivateHosts: setting(
    'CHAUFFEUR_SYMBOL_PRIVATE_HOSTS',
    '0',
    flag,
    'Set it to 1 to allow symbol servers with private addresses, such as in your own network, and http addresses. It also allows redirects to them.',
  ),
  jobs: setting(
    'CHAUFFEUR_JOBS',
    '2',
    number(1, 64),
    'Long jobs that a worker process runs at the same time: scans, symbols, cleanup.',
  ),
  patchMb: setting(
    'CHAUFFEUR_PATCH_MB',
    '512',
    number(0, 1_000_000),
    'Patches are made for updates that download at most so many MiB without them. They take a core for up to 20 minutes each, one after the other. 0 makes none.',
  ),
  quickJobs: setting(
    'CHAUFFEUR_QUICK_JOBS',
    '8',
    number(1, 64),
    'Quick jobs that a worker process runs at the same time: crash reports, emails. They spend most of their time waiting for the database or for a thread. Dumps that the process received itself come in addition, up to the same number.',
  ),
  crashThreads: setting(
    'CHAUFFEUR_CRASH_THREADS',
    '2',
    number(1, 64),
    'Threads in which a worker process reads dumps; more than the number of CPUs has no benefit.',
  ),
  limitUploads: setting(
    'CHAUFFEUR_LIMIT_UPLOADS',
    '60',
    limit,
    'Single uploads and opened sessions per hour and game; 0 disables this limit, as it does for every other limit below.',
  ),
  limitSessions: setting('CHAUFFEUR_LIMIT_SESSIONS', '8', limit, 'Open upload sessions per game.'),
  limitStreams: setting(
    'CHAUFFEUR_LIMIT_STREAMS',
    '20',
    limit,
    'Open pages that follow changes per account and process, and 25 times as many per IP address.',
  ),
  limitChunks: setting('CHAUFFEUR_LIMIT_CHUNKS', '5000', limit, 'Chunks per hour and game.'),
  limitMedia: setting('CHAUFFEUR_LIMIT_MEDIA', '60', limit, 'Uploads of store images and videos per hour and game.'),
  limitSymbolUploads: setting('CHAUFFEUR_LIMIT_SYMBOL_UPLOADS', '30', limit, 'Symbol uploads per hour and game.'),
  limitSymbolLookups: setting(
    'CHAUFFEUR_LIMIT_SYMBOL_LOOKUPS',
    '500',
    limit,
    'Modules per hour and game that are looked up at symbol servers for the first time. Crash reports can name any number of modules.',
  ),
  limitStorageMb: setting(
    'CHAUFFEUR_LIMIT_STORAGE_MB',
    '102400',
    limit,
    'MiB of builds, including open upload sessions, of stored symbols, of event files and of videos per game. Above it, uploads are rejected with 4292, and no event files are written.',
  ),
  limitCrashes: setting('CHAUFFEUR_LIMIT_CRASHES', '10000', limit, 'Crash reports per UTC day and game.'),
  limitCrashUploads: setting(
    'CHAUFFEUR_LIMIT_CRASH_UPLOADS',
    '2000',
    limit,
    'Dumps, logs and attachments of crash reports per UTC day and game: upload URLs, and files in forms and archives. Above it, reports are stored without them.',
  ),
  limitCrashMb: setting(
    'CHAUFFEUR_LIMIT_CRASH_MB',
    '2048',
    limit,
    'MiB of compressed dumps, logs and attachments per UTC day and game. Above it, reports are stored without them.',
  ),
  limitSdkSessions: setting(
    'CHAUFFEUR_LIMIT_SDK_SESSIONS',
    '1000000',
    limit,
    "New sessions of Sentry's SDKs per UTC day and game. Above it, only sessions that are known already are updated.",
  ),
  limitBugs: setting(
    'CHAUFFEUR_LIMIT_BUGS',
    '10',
    limit,
    'Bug tickets per UTC day and player or, without an account, IP address.',
  ),
  limitApprovals: setting(
    'CHAUFFEUR_LIMIT_APPROVALS',
    '20',
    limit,
    'Approvals per game that are pending, or were denied within their 24 hours.',
  ),
  limitInvitations: setting(
    'CHAUFFEUR_LIMIT_INVITATIONS',
    '20',
    limit,
    'Emails with invitations and transfer offers per hour and owner.',
  ),
  limitUnconfirmedMails: setting(
    'CHAUFFEUR_LIMIT_UNCONFIRMED_MAILS',
    '1',
    limit,
    'Emails of one kind per hour to an address that its owner has not confirmed, such as one that somebody signs up with; five times as many per UTC day.',
  ),
  limitMails: setting(
    'CHAUFFEUR_LIMIT_MAILS',
    '20',
    limit,
    'Emails of one kind per hour and game to a confirmed address; five times as many per UTC day. Security notices do not count.',
  ),
  limitGameMails: setting(
    'CHAUFFEUR_LIMIT_GAME_MAILS',
    '500',
    limit,
    'Emails per hour that a game causes: replies, mentions, invitations, and confirmations of addresses. Alerts and releases do not count.',
  ),
  limitAccountMails: setting(
    'CHAUFFEUR_LIMIT_ACCOUNT_MAILS',
    '500',
    limit,
    'Emails per hour that an account causes by replies, mentions and invitations.',
  ),
  limitMailRequests: setting(
    'CHAUFFEUR_LIMIT_MAIL_REQUESTS',
    '100',
    limit,
    'Requests per hour and IP address that can send an email to any address: sign-ups, password resets, changes of the email, and follows without an account.',
  ),
  alertPrivateHosts: setting(
    'CHAUFFEUR_ALERT_PRIVATE_HOSTS',
    '0',
    flag,
    'Set it to 1 to allow alerts, and issues in trackers, on hosts with private addresses, such as a chat or a GitLab in your own network, and http addresses. Members of games choose the hosts.',
  ),
  limitPublic: setting(
    'CHAUFFEUR_LIMIT_PUBLIC',
    '600',
    limit,
    'POST requests to public routes per minute and IP address.',
  ),
  limitReads: setting(
    'CHAUFFEUR_LIMIT_READS',
    '3000',
    limit,
    'GET requests to public pages and routes per minute and IP address. Images, scripts and files of web builds do not count.',
  ),
  mcpOrigins: optional(
    'CHAUFFEUR_MCP_ORIGINS',
    origins,
    'Origins of web pages that can connect to `/mcp` as agents, such as `https://agent.example.com`, separated by commas. Default: none; programs that are not web pages can always connect.',
  ),
  limitAgents: setting('CHAUFFEUR_LIMIT_AGENTS', '300', limit, 'MCP calls per minute and agent.'),
  limitSignIns: setting(
    'CHAUFFEUR_LIMIT_SIGN_INS',
    '20',
    limit,
    'Sign-ins per minute and IP address, and likewise sign-ups, password resets and attempts to use a set-up code.',
  ),
  crashDays: setting(
    'CHAUFFEUR_CRASH_DAYS',
    '90',
    number(0, 36_500),
    'Minimum number of days to keep crash reports and their files. They are deleted by whole months (UTC); groups keep their counts. 0 keeps everything.',
  ),
  crashSeconds: setting(
    'CHAUFFEUR_CRASH_SECONDS',
    '60',
    number(1, 3600),
    'Time limit in seconds for reading a crash dump, once its symbols are loaded. After that, the report has failed and is grouped by its message.',
  ),
  crashHeapMb: setting(
    'CHAUFFEUR_CRASH_HEAP_MB',
    '512',
    number(16, 16_384),
    'MiB of working memory for reading a crash dump, in addition to the dump itself.',
  ),
  eventDays: setting(
    'CHAUFFEUR_EVENT_DAYS',
    '30',
    number(0, 36_500),
    'Minimum number of days to keep individual events. They are deleted by whole days (UTC); their counts are kept. 0 keeps everything.',
  ),
  eventCountDays: setting(
    'CHAUFFEUR_EVENT_COUNT_DAYS',
    '400',
    healthDays,
    'Days to keep event counts, and devices after they were last seen; at least 31. 0 keeps everything.',
  ),
  eventFileDays: setting(
    'CHAUFFEUR_EVENT_FILE_DAYS',
    '400',
    number(0, 36_500),
    'Days to keep the Parquet files of raw events, for games that have them. They are deleted by whole days (UTC). 0 keeps everything.',
  ),
  agentCallDays: setting(
    'CHAUFFEUR_AGENT_CALL_DAYS',
    '90',
    number(0, 36_500),
    'Days to keep the log of MCP calls. 0 keeps everything.',
  ),
  auditDays: setting(
    'CHAUFFEUR_AUDIT_DAYS',
    '400',
    number(0, 36_500),
    'Days to keep the audit log, with the IP addresses in it. 0 keeps everything.',
  ),
  logLevel: setting(
    'CHAUFFEUR_LOG_LEVEL',
    'info',
    word('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    'Minimum severity of log lines.',
  ),
  metricsPort: optional(
    'CHAUFFEUR_METRICS_PORT',
    number(1, 65_535),
    'Port on which `/metrics`, `/health` and `/ready` are also served. Workers serve them only there. Default: none.',
  ),
  metricsToken: optional(
    'CHAUFFEUR_METRICS_TOKEN',
    text,
    'Bearer token required for /metrics. Default: /metrics is only available to programs on the same machine.',
  ),
  otlpEndpoint: optional(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    url('http:', 'https:'),
    'URL of an OpenTelemetry collector, such as `http://127.0.0.1:4318`, which receives traces of requests and jobs. Default: no traces.',
  ),
  otlpShare: setting(
    'OTEL_TRACES_SAMPLER_ARG',
    '1',
    number(0, 1, { whole: false }),
    'Share of requests and jobs that are traced, from 0 to 1. A caller that sends `traceparent` decides for its request.',
  ),
} as const;

type ValueOf<S> = S extends Setting<infer T> ? T : never;
type Environment = Readonly<Record<string, string | undefined>>;

export type Config = { -readonly [Name in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[Name]> };

/**
 * Reads the settings from an environment. An empty variable counts as not set. Throws ConfigError with every invalid
 * setting.
 */
export function readConfig(environment: Environment): Config {
  const { config, problems } = readSettings(environment);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return config;
}

/** Invalid settings are undefined, and have a problem that begins with their variable. */
function readSettings(environment: Environment): { config: Config; problems: string[] } {
  const problems: string[] = [];
  const entries = Object.entries(SETTINGS).map(([name, { variable, fallback, parse }]) => {
    const value = environment[variable] || fallback;
    try {
      return [name, value === undefined ? undefined : (parse as Parse<unknown>)(value)];
    } catch (error) {
      const quoted = isQuoted(value ?? '') ? ' Remove the quotes around the value: they are part of it.' : '';
      problems.push(`${variable}: ${(error as Error).message}.${quoted}`);
      return [name, undefined];
    }
  });
  const config = Object.fromEntries(entries) as Config;
  if (config.requireScan && config.clamd === undefined) {
    problems.push(
      'CHAUFFEUR_REQUIRE_SCAN: set CHAUFFEUR_CLAMD to the address of the scanner, or do not require scans.',
    );
  }
  if (config.databaseReplicaUrl !== undefined && config.databaseUrl === undefined)
    problems.push('CHAUFFEUR_DATABASE_REPLICA_URL: set DATABASE_URL too; the embedded PostgreSQL has no replicas.');
  if (config.playUrl !== undefined && areRelated(config.playUrl, config.publicUrl))
    problems.push(`CHAUFFEUR_PLAY_URL: ${PLAY_HOST}`);
  const isPlain = config.symbolSources?.some(({ url: address }) => address.startsWith('http:')) === true;
  if (isPlain && !config.symbolPrivateHosts)
    problems.push(
      'CHAUFFEUR_SYMBOL_SOURCES: use https, or set CHAUFFEUR_SYMBOL_PRIVATE_HOSTS to 1 to allow http as well.',
    );
  const oidc = [config.oidcIssuer, config.oidcClientId, config.oidcClientSecret];
  if (oidc.some((value) => value !== undefined) && oidc.includes(undefined))
    problems.push(
      'CHAUFFEUR_OIDC_ISSUER: set CHAUFFEUR_OIDC_ISSUER, CHAUFFEUR_OIDC_CLIENT_ID and CHAUFFEUR_OIDC_CLIENT_SECRET, or none of them.',
    );
  if (config.secret !== undefined && config.secret.length < 32)
    problems.push('CHAUFFEUR_SECRET: use at least 32 characters.');
  return { config, problems };
}

/**
 * Reads what can be read, to check the rest as well: the settings with defaults instead of invalid values, the problems
 * that readConfig throws, and the variables with problems.
 */
function readLeniently(environment: Environment): {
  config: Config;
  problems: string[];
  invalid: ReadonlySet<string>;
} {
  const { problems } = readSettings(environment);
  const invalid = new Set(problems.map((problem) => problem.slice(0, problem.indexOf(':'))));
  const valid = Object.fromEntries(Object.entries(environment).filter(([variable]) => !invalid.has(variable)));
  return { config: readSettings(valid).config, problems, invalid };
}

/**
 * What is probably a mistake, although the server can start: names that are not settings, and values in quotes, which
 * systemd and shells remove but Docker's `--env-file` keeps. Values are never part of a warning.
 */
export function findConfigWarnings(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = Object.values(SETTINGS).map(({ variable }) => variable);
  const set = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
  return [
    ...set.flatMap(([variable]) => {
      if (!variable.startsWith('CHAUFFEUR_') || known.includes(variable as never) || OTHER_VARIABLES.test(variable))
        return [];
      const nearest = findNearestName(variable, known);
      return `${variable} is not a setting of this server.${nearest === null ? '' : ` Did you mean ${nearest}?`}`;
    }),
    ...set
      .filter(([variable, value]) => known.includes(variable as never) && isQuoted(value ?? ''))
      .map(([variable]) => `The value of ${variable} is in quotes, which are part of it. Remove them.`),
  ];
}

/**
 * Variables of tests and of the script that installs the command. Kubernetes sets others for a service that is named
 * chauffeur.
 */
const OTHER_VARIABLES =
  /^CHAUFFEUR_(?:TEST_|EVENTS_IMPLEMENTATION$|INSTALL_DIR$|SERVER$|(?:\w+_)?SERVICE_(?:HOST|PORT)|(?:\w+_)?PORT_\d+_)/;

function isQuoted(value: string): boolean {
  return value.length >= 2 && /^(["']).*\1$/s.test(value);
}

const PLAY_HOST =
  'set CHAUFFEUR_PUBLIC_URL and use another domain here; otherwise a game could set cookies for the website.';

/**
 * Whether a page on one host can set cookies for the other: a page can do so for its parent domains (RFC 6265, section
 * 5.3).
 */
function areRelated(playUrl: string, publicUrl: string | undefined): boolean {
  if (publicUrl === undefined) return true;
  const [play, site] = [new URL(playUrl.replace('*.', '')).hostname, new URL(publicUrl).hostname];
  return play === site || play.endsWith(`.${site}`) || site.endsWith(`.${play}`);
}

/** The settings in this process's environment. */
export function readProcessConfig(): Config {
  return readConfig(process.env);
}

/** The settings in this process's environment, with what is wrong with them. */
export function readProcessConfigLeniently() {
  return { ...readLeniently(process.env), warnings: readConfigWarnings() };
}

/** The warnings about this process's environment. */
export function readConfigWarnings(): string[] {
  return findConfigWarnings(process.env);
}
