// What a running command needs: its output, its retry policy and a client of the service.
import { type Client, createClient } from '@chauffeur/contract/client';
import { getDeployInfo } from '@chauffeur/contract/operations/deploy-info';
import { CLI_USER_AGENT, isNewer, VERSION, VERSION_HEADER } from '@chauffeur/contract/version';
import { LocalError } from './failures.ts';
import { configFolder, type LoginStore, openLoginStore } from './logins.ts';
import { Output } from './output.ts';
import { useProxy } from './proxy.ts';
import { REAL_WAITING, type RetryOptions, retry } from './retry.ts';
import {
  type Credential,
  type GlobalOptions,
  readSettings,
  readUrls,
  type Urls,
  warnIfUnencrypted,
} from './settings.ts';

export type Context = {
  output: Output;
  env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C and SIGTERM. */
  signal: AbortSignal;
  /** The logins on this computer. */
  logins: LoginStore;
  /**
   * Creates a client with the deploy key from the flags or the environment, or else with the login for the server.
   * Rejects with LocalError if there is neither, or if the key belongs to another game than the flags say.
   */
  connect(): Promise<Client>;
  /** Creates a client without a key, for what anyone may ask. Throws as `urls` does. */
  connectAsGuest(server?: string): Client;
  /**
   * How a player asks a server: with the login for it, if there is one, and otherwise as anyone. Throws as `urls` does.
   */
  playerOf(server?: string): Player;
  /**
   * The URLs of the server that an argument names, or else of the one from the flags, the environment or the newest
   * login. Throws LocalError if one is invalid, or if the argument and --url name different servers.
   */
  urls(server?: string): Urls;
  /** The retry policy for long steps such as uploads, which outlasts a restart of the server. */
  retryOptions: RetryOptions;
  /** Runs a call that is safe to repeat, and retries it a few times after transient failures. */
  retryBriefly<T>(attempt: () => Promise<T>): Promise<T>;
};

/** `server` is the address without the path of the API. */
type Player = { readonly server: string; readonly headers: Readonly<Record<string, string>> };

const AGENT = { 'user-agent': CLI_USER_AGENT };

/** The tries of a short call: a mistyped URL must be reported within seconds. */
const SHORT_TRIES = 3;
/** The tries of a long call. About a minute passes between the first and the last. */
const LONG_TRIES = 9;

/** The output of this process. */
export function openOutput(options: { json: boolean; quiet: boolean }): Output {
  return new Output(options, process.stdout, process.stderr, process.env);
}

export function createContext(options: GlobalOptions, output: Output, signal: AbortSignal): Context {
  const { env } = process;
  const note = (line: string) => output.note(line);
  const logins = openLoginStore(configFolder(env));
  const urls = (server?: string) => readUrls(withServer(options, server), env, logins.read);
  const retryOptionsFor = (tries: number) => ({ waiting: REAL_WAITING, signal, note, tries });
  const retryBriefly: Context['retryBriefly'] = (attempt) => retry(retryOptionsFor(SHORT_TRIES), attempt);
  return {
    output,
    env,
    signal,
    retryOptions: retryOptionsFor(LONG_TRIES),
    retryBriefly,
    logins,
    urls,
    connectAsGuest(server) {
      const known = urls(server);
      useProxy(env, [known.url]);
      return createClient({ ...known, headers: AGENT });
    },
    playerOf(server) {
      const { url } = urls(server);
      useProxy(env, [url]);
      const login = logins.read().all.find((stored) => stored.url === url);
      if (login !== undefined) warnIfUnencrypted([url], output);
      const headers = { ...AGENT, ...(login !== undefined && { authorization: `Bearer ${login.key}` }) };
      return { server: url.replace(/\/api\/v1$/, ''), headers };
    },
    async connect() {
      const { url, uploadUrl, credential } = await readSettings(options, env, process.stdin, logins.read);
      useProxy(env, [url, uploadUrl]);
      warnIfUnencrypted(new Set([url, uploadUrl]), output);
      const headers = { ...headersOf(credential), ...AGENT };
      const client = createClient({ url, uploadUrl, headers, fetch: noticeVersion(note) });
      if (credential.kind === 'deploy_key' && credential.game !== undefined) {
        const { app_id: uid, slug } = await retryBriefly(() => client.call(getDeployInfo, {}, { signal }));
        requireGame(credential.game, { uid, slug });
      }
      return client;
    },
  };
}

function withServer(options: GlobalOptions, server: string | undefined): GlobalOptions {
  if (server === undefined) return options;
  if (options.url !== undefined && options.url !== server)
    throw new LocalError(`--url names another server than ${server}.`, 'Leave out one of them.');
  return { ...options, url: server };
}

/** A deploy key belongs to one game. */
function requireGame(named: string, { uid, slug }: { uid: string; slug: string }): void {
  if (named !== uid && named !== slug)
    throw new LocalError(
      `--game: the deploy key belongs to the game ${slug}.`,
      'Use the deploy key of the other game, or leave out --game.',
    );
}

function headersOf(credential: Credential): Record<string, string> {
  if (credential.kind === 'deploy_key')
    return { 'x-access-token': credential.accessToken, 'x-secret-key': credential.secretKey };
  const { login, game } = credential;
  return { authorization: `Bearer ${login.key}`, ...(game !== undefined && { 'x-app-id': game }) };
}

/** Returns a fetch that says once if the server is newer than this command. */
function noticeVersion(note: (line: string) => void): typeof fetch {
  let isNoted = false;
  return async (...request) => {
    const response = await fetch(...request);
    const version = response.headers.get(VERSION_HEADER);
    if (!isNoted && response.ok && version !== null && isNewer(version, VERSION)) {
      isNoted = true;
      note(`The server offers chauffeur ${version}, and this is ${VERSION}. To update, run: chauffeur self-update`);
    }
    return response;
  };
}
