// Fetches a client ID metadata document from an untrusted address: only from the public internet, with limits on time
// and size.
import type { IncomingMessage } from 'node:http';
import { INTERNET, type Internet, NotPublicError, requestPublic } from '../../kernel/network/public-request.ts';
import { ClientDocumentError } from './client-document-error.ts';

const MAX_BYTES = 5 * 1024;
const MAX_MS = 5000;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

export type FetchedDocument = { readonly text: string; readonly cacheControl: string | undefined };

/** Throws ClientDocumentError. */
export type FetchDocument = (url: URL) => Promise<FetchedDocument>;

type Options = {
  readonly internet?: Internet;
  /** The time limit for the complete document. */
  readonly milliseconds?: number;
};

/** Throws ClientDocumentError. */
export async function fetchClientDocument(
  url: URL,
  { internet = INTERNET, milliseconds = MAX_MS }: Options = {},
): Promise<FetchedDocument> {
  const signal = AbortSignal.timeout(milliseconds);
  try {
    const response = await requestPublic(
      url,
      { method: 'GET', headers: { accept: 'application/json' }, signal },
      internet,
    );
    try {
      return { text: await readText(response), cacheControl: response.headers['cache-control'] };
    } finally {
      response.destroy();
    }
  } catch (cause) {
    if (cause instanceof ClientDocumentError) throw cause;
    if (cause instanceof NotPublicError) throw new ClientDocumentError(cause.message);
    const message = signal.aborted ? 'its host timed out' : 'its host cannot be reached';
    throw new ClientDocumentError(message, { passing: true, cause });
  }
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
