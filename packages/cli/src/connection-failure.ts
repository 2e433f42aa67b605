// Explains why a connection to the server failed.
import { failureCodeOf } from '@chauffeur/contract/client';
import type { Explanation } from '@chauffeur/contract/foreign-answer';

/** Both work for the program and for the package of npm. The flag --use-system-ca, which Node names, does not. */
const SYSTEM = 'NODE_USE_SYSTEM_CA=1 trusts the certificates and authorities of this machine.';
const TRUST = `If your network inspects TLS, or the server has a certificate of your own authority, set NODE_EXTRA_CA_CERTS to the authority's PEM file. ${SYSTEM}`;

const SETTING = 'the address of the server (SERVICE_API_URL or --url)';

const CLOSED = 'Try again. If it happens each time, check the proxies in between, and that the server is running.';

/** Says for each code of a failed connection what happened to `HOST`, and what to do, such as to correct `ADDRESS`. */
const FAILURES: Readonly<Record<string, readonly [message: string, remedy: string]>> = {
  ENOTFOUND: ['The name HOST does not exist in DNS.', 'Correct ADDRESS, or check the DNS of this machine.'],
  EAI_AGAIN: ['The DNS server did not respond.', 'Check the network connection and the DNS of this machine.'],
  ECONNREFUSED: ['HOST refused the connection.', 'Check the port in ADDRESS, and that the server is running.'],
  UND_ERR_SOCKET: ['HOST closed the connection.', CLOSED],
  ECONNRESET: ['HOST closed the connection.', CLOSED],
  EPIPE: ['HOST closed the connection.', CLOSED],
  ENETUNREACH: ['There is no route to HOST.', 'Check the network connection or the VPN.'],
  EHOSTUNREACH: ['There is no route to HOST.', 'Check the network connection or the VPN.'],
  CERT_HAS_EXPIRED: [
    'The certificate of HOST has expired.',
    'Ask the operator of the server to renew it. If it is not expired, correct the clock of this machine.',
  ],
  CERT_NOT_YET_VALID: ['The certificate of HOST is not valid yet.', 'Correct the clock of this machine.'],
  DEPTH_ZERO_SELF_SIGNED_CERT: [
    'The certificate of HOST is self-signed.',
    `If you trust it, save it as a PEM file, and set NODE_EXTRA_CA_CERTS to the path of this file. ${SYSTEM}`,
  ],
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
  ERR_SSL_WRONG_VERSION_NUMBER: ['HOST does not use TLS on this port.', 'Correct the port, or use http:// in ADDRESS.'],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: [
    'HOST does not use TLS on this port.',
    'Correct the port, or use http:// in ADDRESS.',
  ],
  TIMEOUT: ['HOST did not respond in time.', 'Check the firewall, and that the server is running.'],
};
const TIMEOUTS = ['TimeoutError', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT'];

/**
 * What happened to a request to `host`, and what to do; null for an unknown reason. `address` is what names the server
 * in the command.
 */
export function explainFailure(error: unknown, host: string, address = SETTING): Explanation | null {
  const code = failureCodeOf(error);
  const isTimeout = TIMEOUTS.some((name) => name === code || isNamed(error, name));
  const [text, remedy] = (isTimeout ? FAILURES.TIMEOUT : FAILURES[code]) ?? proxyFailureOf(error) ?? [];
  if (text === undefined || remedy === undefined) return null;
  const shown = code === 'ENOTFOUND' ? host.replace(/:\d+$/, '') : host;
  return { message: text.replace('HOST', shown), remedy: remedy.replace('ADDRESS', address) };
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && (error.name === name || isNamed(error.cause, name));
}

/** The reason is only in the message. */
function proxyFailureOf(error: unknown): readonly [message: string, remedy: string] | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const [, status] = /Proxy response \((\d{3})\)/.exec(cause.message) ?? [];
    if (status === '407')
      return [
        'The proxy requires a user name and password: it answered 407.',
        'Use an address such as http://user:password@proxy.example.com:3128 in HTTPS_PROXY.',
      ];
    if (status !== undefined)
      return [
        `The proxy refuses connections to HOST: it answered ${status}.`,
        'Ask its administrator to allow this host, or name the host in NO_PROXY if it is reachable directly.',
      ];
  }
  return undefined;
}
