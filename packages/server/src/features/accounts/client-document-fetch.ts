// Fetches a client ID metadata document from an untrusted address: only from the public internet, with limits on time
// and size.
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isPublicAddress } from '../../kernel/network/public-addresses.ts';
import { ClientDocumentError } from './client-document-error.ts';

const MAX_BYTES = 5 * 1024;
const MAX_MS = 5000;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

export type FetchedDocument = { readonly text: string; readonly cacheControl: string | undefined };

/** Throws ClientDocumentError. */
export type FetchDocument = (url: URL) => Promise<FetchedDocument>;

/** The network functions, which tests replace. */
export type Internet = {
  /** All addresses of a host. Throws if there are none. */
  resolve(host: string): Promise<readonly LookupAddress[]>;
  /** The `request` of node:https. */
  readonly request: (url: URL, options: Parameters<typeof request>[1]) => ReturnType<typeof request>;
  /** The time limit for the complete document. */
  readonly milliseconds: number;
};

const INTERNET: Internet = {
  resolve: (host) => lookup(host, { all: true, order: 'verbatim' }),
  request,
  milliseconds: MAX_MS,
};

/** Throws ClientDocumentError. Redirects are not followed, because they would bypass the address check. */
export async function fetchClientDocument(url: URL, internet: Internet = INTERNET): Promise<FetchedDocument> {
  const timeout = AbortSignal.timeout(internet.milliseconds);
  try {
    const address = await findAddress(url, internet, timeout);
    const response = await open(url, address, internet, timeout);
    try {
      return { text: await readText(response), cacheControl: response.headers['cache-control'] };
    } finally {
      response.destroy();
    }
  } catch (cause) {
    if (cause instanceof ClientDocumentError) throw cause;
    const message = timeout.aborted ? 'its host timed out' : 'its host cannot be reached';
    throw new ClientDocumentError(message, { passing: true, cause });
  }
}

/**
 * Resolves the host once. The connection uses the checked address, because a second lookup could return another one
 * (DNS rebinding). All addresses must be public, because any of them could be used.
 */
async function findAddress(url: URL, internet: Internet, timeout: AbortSignal): Promise<LookupAddress> {
  const addresses = await Promise.race([internet.resolve(url.hostname), rejectionOf(timeout)]);
  const [first] = addresses;
  if (first === undefined) throw new Error('the host has no address');
  if (addresses.every(({ address }) => isPublicAddress(address))) return first;
  throw new ClientDocumentError('its host is not on the public internet');
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason));
  // Not awaited after the name is resolved.
  promise.catch(() => undefined);
  return promise;
}

async function open(
  url: URL,
  address: LookupAddress,
  internet: Internet,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const outgoing = internet.request(url, {
    // A reused connection could be to an address that was not checked.
    agent: false,
    headers: { accept: 'application/json', 'user-agent': 'Chauffeur' },
    signal,
    lookup: (_host, { all }, done) =>
      all === true ? done(null, [address]) : done(null, address.address, address.family),
  });
  // Errors after the start of the response also reach its reader.
  outgoing.on('error', () => undefined);
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return response;
}

async function readText(response: IncomingMessage): Promise<string> {
  const { statusCode: status = 0, headers } = response;
  if (status !== 200)
    throw new ClientDocumentError(`its host responded with status ${status}`, {
      passing: status >= 500 || status === 429,
    });
  if (!JSON_TYPE.test(headers['content-type'] ?? ''))
    throw new ClientDocumentError('it is not sent as application/json');
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MAX_BYTES) throw new ClientDocumentError(`it is longer than ${MAX_BYTES / 1024} KiB`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
