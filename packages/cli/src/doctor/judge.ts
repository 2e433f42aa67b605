// Decides what the observations of `chauffeur doctor` mean, and what to do.
import { formatBytes, formatMilliseconds } from '@chauffeur/contract/format';
import { LIMITS } from '@chauffeur/contract/limits';
import { areCompatible, isNewer, VERSION } from '@chauffeur/contract/version';
import { type Check, type CheckName, ok, problem, warning } from './check.ts';

const SECOND_MS = 1000;
const DAY_MS = 24 * 3600 * SECOND_MS;
const MAX_CLOCK_DIFFERENCE_MS = 120 * SECOND_MS;
const CERTIFICATE_WARNING_DAYS = 14;

const TRUST =
  "If your network inspects TLS, or the server has a certificate of your own authority, set NODE_EXTRA_CA_CERTS to the authority's PEM file, or NODE_USE_SYSTEM_CA=1 to trust the authorities of this machine.";

/** By the code of the failed connection: what happened, where `HOST` is the host, and what to do. */
const FAILURES: Readonly<Record<string, readonly [message: string, remedy: string]>> = {
  ENOTFOUND: ['The name HOST does not exist in DNS.', 'Correct SERVICE_API_URL, or check the DNS of this machine.'],
  EAI_AGAIN: ['The DNS server did not respond.', 'Check the network connection and the DNS of this machine.'],
  ECONNREFUSED: ['HOST refused the connection.', 'Check the port in the URL, and that the server is running.'],
  ENETUNREACH: ['There is no route to HOST.', 'Check the network connection or the VPN.'],
  EHOSTUNREACH: ['There is no route to HOST.', 'Check the network connection or the VPN.'],
  CERT_HAS_EXPIRED: [
    'The certificate of HOST has expired.',
    'Ask the operator of the server to renew it. If it is not expired, correct the clock of this machine.',
  ],
  CERT_NOT_YET_VALID: ['The certificate of HOST is not valid yet.', 'Correct the clock of this machine.'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['The certificate of HOST is self-signed.', TRUST],
  SELF_SIGNED_CERT_IN_CHAIN: ['The certificate of HOST is from an unknown authority.', TRUST],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['The certificate of HOST is from an unknown authority.', TRUST],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    'The certificate of HOST is from an unknown authority, or its chain is incomplete.',
    `Ask the operator of the server to send the whole chain. ${TRUST}`,
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'The certificate is for another name than HOST.',
    'Use the name in the certificate, or ask the operator of the server for one that includes this name.',
  ],
  ERR_SSL_WRONG_VERSION_NUMBER: ['HOST does not use TLS on this port.', 'Correct the port, or use http:// in the URL.'],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: [
    'HOST does not use TLS on this port.',
    'Correct the port, or use http:// in the URL.',
  ],
  TIMEOUT: ['HOST did not respond in time.', 'Check the firewall, and that the server is running.'],
};
const TIMEOUTS = ['TimeoutError', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT'];

/** Explains why a request to `url` got no response. */
export function judgeFailure(name: CheckName, url: string, error: unknown, hasProxy: boolean): Check {
  const { hostname, host } = new URL(url);
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const { code = '', message = String(cause), name: errorName = '' } = cause as NodeJS.ErrnoException;
  const isTimeout = TIMEOUTS.includes(code) || TIMEOUTS.includes(errorName);
  const [text, remedy] = FAILURES[isTimeout ? 'TIMEOUT' : code] ?? [
    `The connection to HOST failed: ${message}`,
    'Check the network connection and SERVICE_API_URL.',
  ];
  const proxyHint = hasProxy ? ' The request may have gone through a proxy: check the variables above.' : '';
  return problem(name, text.replace('HOST', code === 'ENOTFOUND' ? hostname : host), `${remedy}${proxyHint}`);
}

export type Answer = {
  status: number;
  /** The header with the version of Chauffeur. */
  version: string | null;
  /** The target of a redirect. */
  location: string | null;
};

/** Whether the response is from a Chauffeur server that works with this command. */
export function judgeServer(name: CheckName, url: string, { status, version, location }: Answer): Check {
  if (status >= 300 && status < 400) {
    const target = location ?? 'another address';
    return problem(name, `${url} redirects to ${target}.`, 'Use the other address: credentials are not sent on.');
  }
  if (version === null && status === 407) {
    return problem(name, 'The proxy requires a password.', 'Use an address such as http://user:password@proxy:3128.');
  }
  if (version === null) {
    const message = `${url} responded with status ${status}, but is not the API of a Chauffeur server.`;
    const remedy = status >= 500 ? 'Check that the server behind the proxy is running.' : 'Correct the URL.';
    return problem(name, message, remedy);
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
