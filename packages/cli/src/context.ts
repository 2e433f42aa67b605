// What a running command needs: its output, its retry policy and a client of the service.
import { type Client, createClient } from '@chauffeur/contract/client';
import { CLI_USER_AGENT, isNewer, VERSION, VERSION_HEADER } from '@chauffeur/contract/version';
import type { Output } from './output.ts';
import { useProxy } from './proxy.ts';
import { REAL_WAITING, type RetryOptions, retry } from './retry.ts';
import { type GlobalOptions, isUnencrypted, readSettings, readUrls, type Settings } from './settings.ts';

export type Context = {
  output: Output;
  env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C and SIGTERM. */
  signal: AbortSignal;
  /** Creates a client with the deploy key from the flags or the environment. Rejects with LocalError if it is missing. */
  connect(): Promise<Client>;
  /** Creates a client without the deploy key, for what anyone may ask. Throws LocalError if the URL is invalid. */
  connectAsGuest(): Client;
  /** The URLs from the flags or the environment. Throws LocalError if one is invalid. */
  urls(): Pick<Settings, 'url' | 'uploadUrl'>;
  /** The retry policy for long steps such as uploads, which outlasts a restart of the server. */
  retryOptions: RetryOptions;
  /** Runs a call that is safe to repeat, and retries it a few times after transient failures. */
  retryBriefly<T>(attempt: () => Promise<T>): Promise<T>;
};

const AGENT = { 'user-agent': CLI_USER_AGENT };

/** For short calls: a mistyped URL must be reported within seconds. */
const SHORT_TRIES = 3;
/** About a minute passes between the first failure and the last. */
const LONG_TRIES = 9;

export function createContext(options: GlobalOptions, output: Output, signal: AbortSignal): Context {
  const { env } = process;
  const note = (line: string) => output.note(line);
  const retryOptionsFor = (tries: number) => ({ waiting: REAL_WAITING, signal, note, tries });
  return {
    output,
    env,
    signal,
    retryOptions: retryOptionsFor(LONG_TRIES),
    retryBriefly: (attempt) => retry(retryOptionsFor(SHORT_TRIES), attempt),
    urls: () => readUrls(options, env),
    connectAsGuest() {
      useProxy(env);
      return createClient({ ...readUrls(options, env), headers: AGENT });
    },
    async connect() {
      useProxy(env);
      const { url, uploadUrl, accessToken, secretKey } = await readSettings(options, env, process.stdin);
      for (const base of new Set([url, uploadUrl])) {
        if (isUnencrypted(base))
          output.note(`warning: ${new URL(base).origin} does not use https: the deploy key is sent unencrypted.`);
      }
      const headers = { 'x-access-token': accessToken, 'x-secret-key': secretKey, ...AGENT };
      return createClient({ url, uploadUrl, headers, fetch: noticeVersion(note) });
    },
  };
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
