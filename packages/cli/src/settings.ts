// Reads and checks the settings: from the global flags, then the environment variables, then the stored logins.
import { text } from 'node:stream/consumers';
import { GameRef } from '@chauffeur/contract/operations/fields';
import { findProblem } from '@chauffeur/contract/validate';
import { LocalError } from './failures.ts';
import type { Login, Logins } from './logins.ts';
import { CHECK_SYNTAX, isVariable } from './option-values.ts';
import type { Output } from './output.ts';

/** The flags of every command, as parsed by commander. */
export type GlobalOptions = {
  url?: string;
  upload?: string;
  access?: string;
  game?: string;
  secretStdin?: boolean;
  json?: boolean;
  quiet?: boolean;
};

export type Urls = {
  /** Base of the API and of the upload host, each ending in `/api/v1`. */
  url: string;
  uploadUrl: string;
};

export type Credential =
  /** `game` is the uid or slug of the game that the key must belong to; undefined for any. */
  | { kind: 'deploy_key'; accessToken: string; secretKey: string; game?: string }
  /** `game` is the uid or slug of the game to use; undefined for the only game of the login. */
  | { kind: 'login'; login: Login; game: string | undefined };

export type Settings = Urls & { credential: Credential };

/** Reads the stored logins. Called only for what neither the flags nor the environment say. */
type ReadLogins = () => Logins;

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_URL = 'http://127.0.0.1:4000/api/v1';
const EXAMPLE = 'https://games.example.com';

/**
 * Reads the settings for calls to the service, with --secret-stdin the secret key from `stdin`. Rejects with
 * LocalError.
 */
export async function readSettings(
  options: GlobalOptions,
  env: Environment,
  stdin: AsyncIterable<Uint8Array>,
  readLogins: ReadLogins,
): Promise<Settings> {
  const urls = readUrls(options, env, readLogins);
  const hasFlag = options.access !== undefined || options.secretStdin === true;
  // An empty variable is a secret that the CI system did not pass on. A login must not be used instead.
  return hasFlag || env.SERVICE_ACCESS_TOKEN !== undefined || env.SERVICE_SECRET_KEY !== undefined
    ? { ...urls, credential: await readDeployKey(options, env, stdin) }
    : { ...urls, credential: readLogin(options, env, urls, readLogins()) };
}

async function readDeployKey(
  options: GlobalOptions,
  env: Environment,
  stdin: AsyncIterable<Uint8Array>,
): Promise<Credential> {
  const accessToken = checkedCredential(
    options.access ?? env.SERVICE_ACCESS_TOKEN,
    'access token',
    options.access === undefined ? 'SERVICE_ACCESS_TOKEN' : '--access',
    'Set SERVICE_ACCESS_TOKEN or use --access.',
  );
  const secretKey = checkedCredential(
    options.secretStdin ? await text(stdin) : env.SERVICE_SECRET_KEY,
    'secret key',
    options.secretStdin ? 'stdin' : 'SERVICE_SECRET_KEY',
    'Set SERVICE_SECRET_KEY, or pipe the secret key to stdin and use --secret-stdin.',
  );
  const game = checkedGame(options.game);
  return { kind: 'deploy_key', accessToken, secretKey, ...(game !== undefined && { game }) };
}

function readLogin(options: GlobalOptions, env: Environment, { url }: Urls, { all }: Logins): Credential {
  const login = all.find((stored) => stored.url === url);
  if (login === undefined)
    throw new LocalError(
      `You are not signed in to ${new URL(url).origin}.`,
      'Run chauffeur login, or set SERVICE_ACCESS_TOKEN and SERVICE_SECRET_KEY to a deploy key.',
    );
  return { kind: 'login', login, game: checkedGame(options.game ?? (env.SERVICE_GAME?.trim() || undefined)) };
}

function checkedGame(game: string | undefined): string | undefined {
  if (game !== undefined && findProblem(GameRef, game) !== null)
    throw new LocalError('--game (SERVICE_GAME) is neither the uid nor the slug of a game.', 'Correct it.');
  return game;
}

/** The settings without secrets. Throws LocalError. */
export function readUrls(options: GlobalOptions, env: Environment, readLogins: ReadLogins): Urls {
  const given = options.url ?? env.SERVICE_API_URL?.trim();
  if (given === '')
    throw new LocalError('SERVICE_API_URL is empty.', `Set it to an address such as ${EXAMPLE}, or unset it.`);
  const url = checkedUrl(given ?? readLogins().defaultUrl ?? DEFAULT_URL, '--url (SERVICE_API_URL)');
  const uploadUrl = checkedUrl(
    options.upload ?? (env.SERVICE_UPLOAD_URL?.trim() || url),
    '--upload (SERVICE_UPLOAD_URL)',
  );
  return { url, uploadUrl };
}

/** Warns of addresses to which the deploy key or the key of a login would be sent unencrypted. */
export function warnIfUnencrypted(urls: Iterable<string>, output: Output): void {
  for (const url of urls) {
    if (isUnencrypted(url))
      output.note(`warning: ${new URL(url).origin} does not use https: your key is sent unencrypted.`);
  }
}

/** Whether a key would be sent over a network unencrypted. */
export function isUnencrypted(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/**
 * Returns the base URL of the API, ending in `/api/v1`, of a server that is named by this URL or by its website's
 * address, with or without https://. Throws LocalError.
 */

function checkedUrl(value: string, name: string): string {
  const parsed = URL.parse(withScheme(value));
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new LocalError(`${name} is not an http or https URL.`, `Use an address such as ${EXAMPLE}.`);
  }
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '' || parsed.hash !== '') {
    throw new LocalError(
      `${name} contains a user name, a query or a fragment.`,
      `Use only the address, such as ${EXAMPLE}.`,
    );
  }
  return `${parsed.href.replace(/\/+$/, '').replace(/\/api(\/v1)?$/, '')}/api/v1`;
}

/** Adds the scheme to a bare address. The parser takes the host of `localhost:4000` for a scheme. */
function withScheme(value: string): string {
  if (value.includes('//')) return value;
  const hostname = URL.parse(`https://${value}`)?.hostname ?? '';
  return `${isLoopback(hostname) ? 'http' : 'https'}://${value}`;
}

/**
 * `source` is where `value` comes from. Credentials are sent in headers, which allow only visible ASCII (RFC 9110,
 * section 5.5). They are never printed.
 */
function checkedCredential(value: string | undefined, name: string, source: string, remedy: string): string {
  const missing = `The ${name} of the deploy key is missing`;
  if (value === undefined) throw new LocalError(`${missing}.`, remedy);
  const trimmed = value.trim();
  if (trimmed === '')
    throw new LocalError(
      `${missing}: ${source} is empty.`,
      `In a CI system, check that the job gets the secret. ${remedy}`,
    );
  if (isVariable(trimmed)) throw new LocalError(`${source} is the name of a variable, not its value.`, CHECK_SYNTAX);
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    throw new LocalError(
      `The ${name} contains a space or another character that is not part of a deploy key.`,
      `Copy it again. ${remedy}`,
    );
  }
  return trimmed;
}
