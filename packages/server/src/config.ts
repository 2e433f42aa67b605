// Every setting of the server in one table: variable, default, parser, explanation. The only reader of process.env.
import { resolve } from 'node:path';

/** The environment does not make a configuration; the message lists every problem with its remedy. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Parse<T> = (text: string) => T;
type Setting<T> = {
  readonly variable: string;
  /** As written in the environment; undefined where the setting may be absent. */
  readonly fallback: string | undefined;
  readonly parse: Parse<T>;
  readonly doc: string;
};

/** A setting that always has a value. */
function set<T>(variable: string, fallback: string, parse: Parse<T>, doc: string): Setting<T> {
  return { variable, fallback, parse, doc };
}

/** A setting that may be absent. */
function may<T>(variable: string, parse: Parse<T>, doc: string): Setting<T | undefined> {
  return { variable, fallback: undefined, parse, doc };
}

const text: Parse<string> = (value) => value;
const folder: Parse<string> = (value) => resolve(value);

const flag: Parse<boolean> = (value) => {
  if (/^(1|true|yes|on)$/i.test(value)) return true;
  if (/^(0|false|no|off)$/i.test(value)) return false;
  throw new Error('use 1 or 0');
};

function number(least: number, most: number, { whole = true } = {}): Parse<number> {
  return (value) => {
    const parsed = Number(value);
    const fits = value.trim() !== '' && parsed >= least && parsed <= most && (!whole || Number.isInteger(parsed));
    if (!fits) throw new Error(`use ${whole ? 'a whole number' : 'a number'} from ${least} to ${most}`);
    return parsed;
  };
}

function url(...protocols: string[]): Parse<string> {
  return (value) => {
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
      throw new Error(`use an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`);
    }
    return value;
  };
}

/** An origin alone: games bring the paths. */
const playUrl: Parse<string> = (value) => {
  const address = url('http:', 'https:')(value).replace(/\/+$/, '');
  const { hostname, origin } = new URL(address);
  const isOrigin =
    origin === address.toLowerCase() && !hostname.slice(1).includes('*') && /^(\*\.)?[^*]+$/.test(hostname);
  if (!isOrigin) throw new Error('use an address without a path, with a star in front of its host or none');
  return address;
};

/** Not a WHATWG address always: `postgresql://user@/name?host=/socket/folder` names no host before the path. */
const databaseUrl: Parse<string> = (value) => {
  if (!/^postgres(ql)?:\/\//.test(value))
    throw new Error('use an address that begins with postgres:// or postgresql://');
  return value;
};

function word<T extends string>(...words: readonly T[]): Parse<T> {
  return (value) => {
    const found = words.find((candidate) => candidate === value);
    if (found === undefined) throw new Error(`use one of ${words.join(', ')}`);
    return found;
  };
}

const limit = number(0, 1_000_000_000);

/** `on` and its like are one proxy, which is what the setting once could only say. */
const proxies: Parse<number> = (value) => (/^\d/.test(value) ? number(0, 16)(value) : Number(flag(value)));

/** 0 for all days, else as many as launch health looks at, and a day more. */
const healthDays: Parse<number> = (value) => {
  const days = number(0, 36_500)(value);
  if (days > 0 && days < 31) throw new Error('use 0, or a whole number from 31 to 36500');
  return days;
};

/** The table. `docs/config.md` is generated from it. */
export const SETTINGS = {
  host: set('CHAUFFEUR_HOST', '127.0.0.1', text, 'Address to listen on.'),
  port: set('CHAUFFEUR_PORT', '4000', number(0, 65_535), 'Port to listen on; 0 takes a free one.'),
  dataFolder: set(
    'CHAUFFEUR_DATA',
    './data',
    folder,
    'Folder of the embedded PostgreSQL, of blobs on files and of the mail outbox.',
  ),
  publicUrl: may(
    'CHAUFFEUR_PUBLIC_URL',
    url('http:', 'https:'),
    'Address that players and developers reach the service at; used in mails and links. Absent: the address it listens on.',
  ),
  playUrl: may(
    'CHAUFFEUR_PLAY_URL',
    playUrl,
    'Address on which web builds are played, on a domain of its own, such as `https://*.games-play.example`; the star gives each game a host and with it a storage of its own. Absent: games are played on the public address, shut off from it and without storage.',
  ),
  databaseUrl: may(
    'DATABASE_URL',
    databaseUrl,
    'PostgreSQL 15 or newer. Absent: an embedded PostgreSQL under the data folder.',
  ),
  databaseConnections: set(
    'CHAUFFEUR_DATABASE_CONNECTIONS',
    '20',
    number(4, 1000),
    'Most connections that one process opens to PostgreSQL.',
  ),
  blobs: may(
    'CHAUFFEUR_BLOBS',
    url('s3:'),
    'Where blobs are kept: `s3://bucket?endpoint=…&region=…`, with the AWS SDK’s own credential variables. Absent: files under the data folder.',
  ),
  clamd: may(
    'CHAUFFEUR_CLAMD',
    text,
    'ClamAV’s clamd: `unix:/path` or `host:port`. Absent: files are served as unscanned, and their badge says so.',
  ),
  clamdStreamLimit: set(
    'CHAUFFEUR_CLAMD_STREAM_LIMIT',
    '26214400',
    number(1_048_576, 2_000_000_000),
    'Bytes in one stream to clamd; at most the least of its StreamMaxLength, MaxFileSize and MaxScanSize.',
  ),
  requireScan: set('CHAUFFEUR_REQUIRE_SCAN', '0', flag, 'Refuse to start without a scanner.'),
  smtp: may(
    'CHAUFFEUR_SMTP',
    url('smtp:', 'smtps:'),
    'Mail server, `smtp://user:password@host:port`. Absent: mails are written under the data folder’s `outbox/`.',
  ),
  mailFrom: set('CHAUFFEUR_MAIL_FROM', 'Chauffeur <chauffeur@localhost>', text, 'Sender of mails.'),
  secret: may(
    'CHAUFFEUR_SECRET',
    text,
    'Secret that signs session cookies, 32 characters or more. Absent: one is made at the first start and kept in the database.',
  ),
  trustProxy: set(
    'CHAUFFEUR_TRUST_PROXY',
    '0',
    proxies,
    'How many proxies in front add to X-Forwarded-For, from which the client’s address is then taken; 0 for none. 1 takes the last address of the header, 2 the one before it; what the client wrote there itself is never taken.',
  ),
  sessionHours: set(
    'CHAUFFEUR_SESSION_HOURS',
    '6',
    number(0.0001, 720, { whole: false }),
    'Life of an upload session in hours; decimals allowed.',
  ),
  uploadIdleSeconds: set(
    'CHAUFFEUR_UPLOAD_IDLE_SECONDS',
    '30',
    number(1, 3600),
    'An upload that sends less than 1 KiB in this time is dropped, and so is any other body that has not arrived whole by then.',
  ),
  shutdownSeconds: set(
    'CHAUFFEUR_SHUTDOWN_SECONDS',
    '600',
    number(0, 86_400),
    'How long a stopping server waits for uploads under way.',
  ),
  symbolCacheMb: set(
    'CHAUFFEUR_SYMBOL_CACHE_MB',
    '2048',
    number(1, 1_000_000),
    'With blobs on S3: MiB of compiled symbols that a worker keeps under the data folder.',
  ),
  jobs: set(
    'CHAUFFEUR_JOBS',
    '2',
    number(1, 64),
    'Long jobs that one worker process runs at once: scans, symbols, sweeps.',
  ),
  quickJobs: set(
    'CHAUFFEUR_QUICK_JOBS',
    '8',
    number(1, 64),
    'Quick jobs that one worker process runs at once: crash reports, mails. They mostly wait, for the database or for their turn.',
  ),
  crashThreads: set(
    'CHAUFFEUR_CRASH_THREADS',
    '2',
    number(1, 64),
    'Threads in which one worker process reads dumps; more than the machine has processors is no use.',
  ),
  limitUploads: set(
    'CHAUFFEUR_LIMIT_UPLOADS',
    '60',
    limit,
    'Single uploads and sessions opened, an hour a game; 0 lifts this and every other limit below.',
  ),
  limitSessions: set('CHAUFFEUR_LIMIT_SESSIONS', '8', limit, 'Upload sessions open at once, a game.'),
  limitChunks: set('CHAUFFEUR_LIMIT_CHUNKS', '5000', limit, 'Chunks, an hour a game.'),
  limitMedia: set('CHAUFFEUR_LIMIT_MEDIA', '60', limit, 'Store image uploads, an hour a game.'),
  limitSymbolUploads: set('CHAUFFEUR_LIMIT_SYMBOL_UPLOADS', '30', limit, 'Symbol uploads, an hour a game.'),
  limitStorageMb: set(
    'CHAUFFEUR_LIMIT_STORAGE_MB',
    '102400',
    limit,
    'MiB of builds (also those that open sessions are to become) and stored symbols, a game. Past it, uploads are refused with 4292.',
  ),
  limitCrashes: set('CHAUFFEUR_LIMIT_CRASHES', '10000', limit, 'Crash reports, a UTC day a game.'),
  limitCrashUploads: set(
    'CHAUFFEUR_LIMIT_CRASH_UPLOADS',
    '2000',
    limit,
    'Dumps and logs of crash reports, a UTC day a game: upload addresses, and files in forms and archives. Past it, reports are kept without them.',
  ),
  limitCrashMb: set(
    'CHAUFFEUR_LIMIT_CRASH_MB',
    '2048',
    limit,
    'MiB of dumps and logs as they are stored, compressed, a UTC day a game. Past it, reports are kept without them.',
  ),
  limitBugs: set('CHAUFFEUR_LIMIT_BUGS', '10', limit, 'Bug tickets, a UTC day a player.'),
  limitApprovals: set(
    'CHAUFFEUR_LIMIT_APPROVALS',
    '20',
    limit,
    'Approvals that wait for the owner, or that were denied in their 24 hours, a game.',
  ),
  limitInvitations: set(
    'CHAUFFEUR_LIMIT_INVITATIONS',
    '20',
    limit,
    'Mails with invitations to games and offers of transfers, an hour an owner.',
  ),
  limitPublic: set(
    'CHAUFFEUR_LIMIT_PUBLIC',
    '600',
    limit,
    'POSTs to public routes, a minute an address; each process counts for itself, in memory.',
  ),
  limitReads: set(
    'CHAUFFEUR_LIMIT_READS',
    '3000',
    limit,
    'GETs of public pages and public routes, a minute an address; images, scripts and files of games that are played do not count. Each process counts for itself, in memory.',
  ),
  limitAgents: set(
    'CHAUFFEUR_LIMIT_AGENTS',
    '300',
    limit,
    'Calls over MCP, a minute an agent; each process counts for itself, in memory.',
  ),
  limitSignIns: set(
    'CHAUFFEUR_LIMIT_SIGN_INS',
    '20',
    limit,
    'Sign-ins, and sign-ups and password resets, a minute an address.',
  ),
  crashDays: set(
    'CHAUFFEUR_CRASH_DAYS',
    '90',
    number(0, 36_500),
    'Days that crash reports and their files are kept at least; they go by whole months (UTC), and groups keep their counts. 0 keeps all.',
  ),
  crashSeconds: set(
    'CHAUFFEUR_CRASH_SECONDS',
    '60',
    number(1, 3600),
    'Longest that reading one crash dump may take, once its symbols are at hand; then its report has failed, and is grouped by its message.',
  ),
  crashHeapMb: set(
    'CHAUFFEUR_CRASH_HEAP_MB',
    '512',
    number(16, 16_384),
    'MiB of working memory for reading one crash dump, beside the dump itself.',
  ),
  eventDays: set(
    'CHAUFFEUR_EVENT_DAYS',
    '30',
    number(0, 36_500),
    'Days that single events are kept at least; they go by whole days (UTC), and all that is counted of them stays. 0 keeps all.',
  ),
  eventCountDays: set(
    'CHAUFFEUR_EVENT_COUNT_DAYS',
    '400',
    healthDays,
    'Days that counts of events are kept, and devices since they were last heard of; 31 at least. 0 keeps all.',
  ),
  agentCallDays: set(
    'CHAUFFEUR_AGENT_CALL_DAYS',
    '90',
    number(0, 36_500),
    'Days that the record of what agents called over MCP is kept. 0 keeps all.',
  ),
  logLevel: set(
    'CHAUFFEUR_LOG_LEVEL',
    'info',
    word('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    'Least severe log lines that are written.',
  ),
  metricsToken: may(
    'CHAUFFEUR_METRICS_TOKEN',
    text,
    'Bearer token that /metrics requires. Absent: /metrics is open to programs on the same machine only.',
  ),
} as const;

type ValueOf<S> = S extends Setting<infer T> ? T : never;
export type Config = { -readonly [Name in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[Name]> };

/** Reads the settings from an environment. An empty variable counts as absent. Throws ConfigError naming every bad one. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const entries = Object.entries(SETTINGS).map(([name, setting]) => {
    const given = environment[setting.variable];
    const value = given === undefined || given === '' ? setting.fallback : given;
    try {
      return [name, value === undefined ? undefined : (setting.parse as Parse<unknown>)(value)];
    } catch (error) {
      problems.push(`${setting.variable}: ${(error as Error).message}.`);
      return [name, undefined];
    }
  });
  const config = Object.fromEntries(entries) as Config;
  if (config.requireScan && config.clamd === undefined) {
    problems.push('CHAUFFEUR_REQUIRE_SCAN: set CHAUFFEUR_CLAMD to the scanner’s address, or do not require scans.');
  }
  if (config.playUrl !== undefined && areRelated(config.playUrl, config.publicUrl))
    problems.push(`CHAUFFEUR_PLAY_URL: ${PLAY_HOST}`);
  if (config.secret !== undefined && config.secret.length < 32)
    problems.push('CHAUFFEUR_SECRET: use 32 characters or more.');
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return config;
}

const PLAY_HOST =
  'use a domain other than that of CHAUFFEUR_PUBLIC_URL, which has to be set; a game could else set its cookies.';

/** A page may set cookies for the hosts above its own (RFC 6265, section 5.3). */
function areRelated(playUrl: string, publicUrl: string | undefined): boolean {
  if (publicUrl === undefined) return true;
  const [play, site] = [new URL(playUrl.replace('*.', '')).hostname, new URL(publicUrl).hostname];
  return play === site || play.endsWith(`.${site}`) || site.endsWith(`.${play}`);
}

/** The settings of this process’s environment. */
export function readProcessConfig(): Config {
  return readConfig(process.env);
}
