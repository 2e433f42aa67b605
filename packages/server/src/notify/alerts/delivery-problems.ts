// Says in a sentence why a message did not arrive, without a stack or addresses of this network.
import { oneLine } from '../../kernel/email/html-email.ts';
import { NotPublicError } from '../../kernel/network/public-request.ts';

/** The destination will not accept this message, however often it is sent. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/** Throws RefusedError if retrying is pointless. */
export function requireAccepted(status: number): void {
  if (status >= 200 && status < 300) return;
  const message = `${meaningOf(status)} (status ${status})`;
  // The request timed out, was one too many, or reached a server that can't answer right now.
  if (status === 408 || status === 425 || status === 429 || status >= 500) throw new Error(message);
  throw new RefusedError(message);
}

function meaningOf(status: number): string {
  if (status === 401 || status === 403) return 'The destination refused access';
  if (status === 404 || status === 410) return "The destination doesn't know this address";
  if (status === 413) return 'The message is too long for the destination';
  if (status === 429) return 'The destination gets too many messages at the moment';
  if (status >= 300 && status < 400) return "The destination redirects to another address, which isn't followed";
  if (status >= 500) return 'The destination has a problem at the moment';
  return "The destination didn't accept the message";
}

/** The codes of errors of connections, for people. */
const MEANINGS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'No host has this name',
  EAI_AGAIN: "The host's name could not be looked up",
  ECONNREFUSED: 'The host refused the connection',
  ECONNRESET: 'The connection was closed before a response arrived',
  ETIMEDOUT: "The host can't be reached",
  EHOSTUNREACH: "The host can't be reached",
  ENETUNREACH: "The host can't be reached",
  CERT_HAS_EXPIRED: "The host's certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The host's certificate isn't from a known authority",
  SELF_SIGNED_CERT_IN_CHAIN: "The host's certificate isn't from a known authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "The host's certificate isn't from a known authority",
  ERR_TLS_CERT_ALTNAME_INVALID: "The host's certificate is for another name",
};

/** `timeoutSeconds` is how long a response was waited for. */
export function problemOf(error: unknown, timeoutSeconds: number): string {
  if (error instanceof RefusedError) return `${error.message}.`;
  if (error instanceof NotPublicError)
    return 'The host has a private address, which is refused. The operator can allow it with CHAUFFEUR_ALERT_PRIVATE_HOSTS.';
  if (!(error instanceof Error)) return 'The message could not be sent.';
  const { name, message, code } = error as Error & { code?: string };
  if (name === 'TimeoutError' || name === 'AbortError')
    return `The destination did not respond within ${timeoutSeconds} seconds.`;
  // The messages of OpenSSL also name a thread and a line of its source.
  const [, tlsProblem] = /:SSL routines:[^:]*:([^:]+):/.exec(message) ?? [];
  if (tlsProblem !== undefined) return `The TLS handshake failed: ${tlsProblem}.`;
  const meaning = code === undefined ? undefined : MEANINGS[code];
  if (meaning !== undefined) return `${meaning} (${code}).`;
  const text = oneLine(code === undefined ? message : `${code}: ${message}`);
  return `${text}${/[.!?]$/.test(text) ? '' : '.'}`;
}
