// What a running command needs: its output, its retry policy and a client of the service.
import { type Client, createClient } from '@chauffeur/contract/client';
import type { Output } from './output.ts';
import { REAL_WAITING, type RetryOptions, retry } from './retry.ts';
import { type GlobalOptions, isUnencrypted, readSettings } from './settings.ts';

export type Context = {
  output: Output;
  env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C and SIGTERM. */
  signal: AbortSignal;
  /** Creates a client with the deploy key from the flags or the environment. Rejects with LocalError if it is missing. */
  connect(): Promise<Client>;
  /** The retry policy for long steps such as uploads, which outlasts a restart of the server. */
  retryOptions: RetryOptions;
  /** Runs a call that is safe to repeat, and retries it a few times after transient failures. */
  retryBriefly<T>(attempt: () => Promise<T>): Promise<T>;
};

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
    async connect() {
      const { url, uploadUrl, accessToken, secretKey } = await readSettings(options, env, process.stdin);
      for (const base of new Set([url, uploadUrl])) {
        if (isUnencrypted(base))
          output.note(`warning: ${new URL(base).origin} does not use https: the deploy key is sent unencrypted.`);
      }
      const headers = { 'x-access-token': accessToken, 'x-secret-key': secretKey, 'user-agent': 'chauffeur-cli' };
      return createClient({ url, uploadUrl, headers });
    },
  };
}
