// Decides what the observations of `chauffeur doctor` mean, and what to do.
import { explainAnswer, type ForeignAnswer } from '@chauffeur/contract/foreign-answer';
import { formatBytes, formatMilliseconds } from '@chauffeur/contract/format';
import { LIMITS } from '@chauffeur/contract/limits';
import { areCompatible, isNewer, VERSION } from '@chauffeur/contract/version';
import { explainFailure } from '../connection-failure.ts';

export type CheckName =
  | 'address'
  | 'proxy'
  | 'connection'
  | 'certificate'
  | 'server'
  | 'clock'
  | 'key'
  | 'upload'
  | 'disk';

export type Check = {
  name: CheckName;
  status: 'ok' | 'warning' | 'problem';
  message: string;
  /** What to do, unless the check is ok. */
  remedy: string | null;
};

export function ok(name: CheckName, message: string): Check {
  return { name, status: 'ok', message, remedy: null };
}

export function warning(name: CheckName, message: string, remedy: string): Check {
  return { name, status: 'warning', message, remedy };
}

export function problem(name: CheckName, message: string, remedy: string): Check {
  return { name, status: 'problem', message, remedy };
}

const SECOND_MS = 1000;
const DAY_MS = 24 * 3600 * SECOND_MS;
const MAX_CLOCK_DIFFERENCE_MS = 120 * SECOND_MS;
const CERTIFICATE_WARNING_DAYS = 14;

/** Explains why a request to `url` got no response. */
export function judgeFailure(name: CheckName, url: string, error: unknown, hasProxy: boolean): Check {
  const { host } = new URL(url);
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const { message = String(cause) } = cause as Error;
  const { message: text, remedy } = explainFailure(error, host) ?? {
    message: `The connection to ${host} failed: ${message}`,
    remedy: 'Check the network connection and SERVICE_API_URL.',
  };
  const proxyHint = hasProxy ? ' The request may have gone through a proxy: check the variables above.' : '';
  return problem(name, text, `${remedy}${proxyHint}`);
}

export type Answer = ForeignAnswer & {
  /** The header with the version of Chauffeur. */
  readonly version: string | null;
};

/** Whether the response is from a Chauffeur server that works with this command. */
export function judgeServer(name: CheckName, url: string, answer: Answer): Check {
  const { version, status } = answer;
  if (version === null || (status >= 300 && status < 400)) {
    const { message, remedy } = explainAnswer(answer);
    return problem(name, `${url}: ${message}`, remedy);
  }
  const versions = `Chauffeur ${version}; this command is ${VERSION}`;
  if (!areCompatible(version, VERSION)) {
    return problem(name, `${versions}, which does not work with it.`, 'Run chauffeur self-update.');
  }
  if (isNewer(version, VERSION)) return warning(name, `${versions}.`, 'To update, run chauffeur self-update.');
  return ok(name, `${versions}.`);
}

/** `difference` is the time of this machine minus the time of the server, in milliseconds. */
export function judgeClock(difference: number): Check {
  if (Math.abs(difference) <= MAX_CLOCK_DIFFERENCE_MS) {
    return ok('clock', 'This machine and the server agree within two minutes.');
  }
  const direction = difference > 0 ? 'ahead of' : 'behind';
  return warning(
    'clock',
    `The clock of this machine is ${formatMilliseconds(Math.abs(difference))} ${direction} the server's.`,
    'Synchronize both clocks, for example with NTP. Certificates are refused if the time is wrong.',
  );
}

/** `until` is the end of the certificate's validity, in milliseconds since 1970. */
export function judgeCertificate(host: string, until: number, now: number): Check {
  const days = Math.floor((until - now) / DAY_MS);
  const day = new Date(until).toISOString().slice(0, 10);
  if (days >= CERTIFICATE_WARNING_DAYS) return ok('certificate', `Valid until ${day}.`);
  return warning(
    'certificate',
    `The certificate of ${host} expires on ${day}.`,
    'Ask the operator of the server to renew it.',
  );
}

/** `free` is in bytes. */
export function judgeSpace(folder: string, free: number): Check {
  const message = `${formatBytes(free)} free in ${folder}.`;
  if (free >= LIMITS.fileBytes) return ok('disk', message);
  return warning(
    'disk',
    message,
    `A zip can have up to ${formatBytes(LIMITS.fileBytes)}. If your game needs more, free some space or use another folder with --tmp.`,
  );
}

/** `variables` are the proxy settings of the environment. */
export function judgeProxy(variables: readonly (readonly [string, string])[], isUsed: boolean): Check {
  if (variables.length === 0) return ok('proxy', 'No proxy is set.');
  const settings = variables.map(([name, value]) => `${name}=${hidePassword(value)}`).join(', ');
  if (isUsed) return ok('proxy', `Requests use ${settings}.`);
  return warning(
    'proxy',
    `${settings} is set, but Node ${process.versions.node} does not use it.`,
    "Use Node 24.14 or newer, or the program from the server's page /cli.",
  );
}

function hidePassword(value: string): string {
  return value.replace(/\/\/[^/@]*@/, '//…@');
}

const EXPIRY_WARNING_DAYS = 14;

/** Whether the credentials work for long enough. `key` describes them; null if they don't expire. */
export function judgeExpiry(key: string, expiresAt: string | null, now: number): Check {
  if (expiresAt === null) return ok('key', `${key}.`);
  const message = `${key}, which expires on ${expiresAt.slice(0, 10)}.`;
  if (new Date(expiresAt).getTime() - now > EXPIRY_WARNING_DAYS * DAY_MS) return ok('key', message);
  return warning('key', message, "Create another token on the game's Keys page, and replace this one.");
}
