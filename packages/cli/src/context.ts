// What a running command works with: its output, its patience, and the client of the service once it needs one.
import { type Client, createClient } from '@chauffeur/contract/client';
import type { Output } from './output.ts';
import { type PatienceOptions, persist, REAL_WAITING } from './retry.ts';
import { type GlobalOptions, isUnencrypted, readSettings } from './settings.ts';

export type Context = {
  output: Output;
  env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C and SIGTERM. */
  signal: AbortSignal;
  /** The client, with the deploy key of flags or environment. Rejects with LocalError where that is missing. */
  connect(): Promise<Client>;
  /** For what took long to get where it is, such as an upload: bears with a server that is restarted. */
  patience: PatienceOptions;
  /** Runs a call that may be repeated, a few times when it fails in passing. */
  insist<T>(attempt: () => Promise<T>): Promise<T>;
};

/** For short calls: a mistyped address should be told within seconds. */
const SHORT_TRIES = 3;
/** About a minute lies between the first failure and the last. */
const LONG_TRIES = 9;

export function createContext(options: GlobalOptions, output: Output, signal: AbortSignal): Context {
  const { env } = process;
  const note = (line: string) => output.note(line);
  const patienceFor = (tries: number) => ({ waiting: REAL_WAITING, signal, note, tries });
  return {
    output,
    env,
    signal,
    patience: patienceFor(LONG_TRIES),
    insist: (attempt) => persist(patienceFor(SHORT_TRIES), attempt),
    async connect() {
      const { url, uploadUrl, accessToken, secretKey } = await readSettings(options, env, process.stdin);
      for (const base of new Set([url, uploadUrl])) {
        if (isUnencrypted(base))
          output.note(`warning: ${new URL(base).origin} is not https; the deploy key can be read on the way.`);
      }
      const headers = { 'x-access-token': accessToken, 'x-secret-key': secretKey, 'user-agent': 'chauffeur-cli' };
      return createClient({ url, uploadUrl, headers });
    },
  };
}
