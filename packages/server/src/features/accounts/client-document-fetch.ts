// Reads a client ID metadata document, whose address a stranger chose: from the public internet alone, in little time, and not much of it.
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isPublicAddress } from '../../kernel/public-addresses.ts';
import { ClientDocumentError } from './client-document-error.ts';

const MOST_BYTES = 5 * 1024;
const MOST_MS = 5000;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

export type FetchedDocument = { readonly text: string; readonly cacheControl: string | undefined };

/** Throws ClientDocumentError. */
export type FetchDocument = (url: URL) => Promise<FetchedDocument>;

/** How the internet is reached. */
export type Internet = {
  /** All addresses of a host. Throws when there are none. */
  resolve(host: string): Promise<readonly LookupAddress[]>;
  /** As that of node:https. */
  readonly request: (url: URL, options: Parameters<typeof request>[1]) => ReturnType<typeof request>;
  /** Until the whole document has to be there. */
  readonly milliseconds: number;
};

const INTERNET: Internet = {
  resolve: (host) => lookup(host, { all: true, order: 'verbatim' }),
  request,
  milliseconds: MOST_MS,
};

/** Throws ClientDocumentError. A redirect is not followed: it would lead past the checks of the address. */
export async function fetchClientDocument(url: URL, internet: Internet = INTERNET): Promise<FetchedDocument> {
  const timeout = AbortSignal.timeout(internet.milliseconds);
  try {
    const address = await findAddress(url, internet, timeout);
    const answer = await open(url, address, internet, timeout);
    try {
      return { text: await readText(answer), cacheControl: answer.headers['cache-control'] };
    } finally {
      answer.destroy();
    }
  } catch (cause) {
    if (cause instanceof ClientDocumentError) throw cause;
    const message = timeout.aborted ? 'it did not come in time' : 'its host cannot be reached';
    throw new ClientDocumentError(message, { passing: true, cause });
  }
}

/**
 * Names are looked up once, and the connection goes to what was checked: asked again, a name can lead elsewhere (DNS rebinding). One
 * address that is not public is one too many: which of them is taken would be luck.
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
  // Nobody waits any more once the name is found.
  promise.catch(() => undefined);
  return promise;
}

async function open(url: URL, found: LookupAddress, internet: Internet, signal: AbortSignal): Promise<IncomingMessage> {
  const asking = internet.request(url, {
    // A connection kept from before would be to an address that was not checked now.
    agent: false,
    headers: { accept: 'application/json', 'user-agent': 'Chauffeur' },
    signal,
    lookup: (_host, { all }, done) => (all === true ? done(null, [found]) : done(null, found.address, found.family)),
  });
  // What fails once the answer has begun is told by the answer as well.
  asking.on('error', () => undefined);
  asking.end();
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  return answer;
}

async function readText(answer: IncomingMessage): Promise<string> {
  const { statusCode: status = 0, headers } = answer;
  if (status !== 200)
    throw new ClientDocumentError(`its host answered ${status}`, { passing: status >= 500 || status === 429 });
  if (!JSON_TYPE.test(headers['content-type'] ?? ''))
    throw new ClientDocumentError('it is not sent as application/json');
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MOST_BYTES) throw new ClientDocumentError(`it is longer than ${MOST_BYTES / 1024} KiB`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
