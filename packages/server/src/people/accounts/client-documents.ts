// Supports OAuth clients that publish a metadata document, whose address is their client_id (draft-ietf-oauth-client-
// id-metadata-document). They come from untrusted addresses, so they are fetched only from the public internet, with
// limits on time and size.

import type { IncomingMessage } from 'node:http';
import { type ClientDiscovery, extendOAuthProvider, type OAuthOptions, type Scope } from '@better-auth/oauth-provider';
import { registerClientMetadataDocument } from '@better-auth/oauth-provider/internal';
import type { BetterAuthPlugin } from 'better-auth';
import { APIError } from 'better-call';
import { type Clock, DAY, MINUTE, SECOND } from '../../kernel/clock.ts';
import { createRecent } from '../../kernel/collections/cache.ts';
import { INTERNET, type Internet, NotPublicError, requestPublic } from '../../kernel/network/public-request.ts';
import {
  ClientDocumentError,
  freshSeconds,
  isDocumentAddress,
  readAddress,
  readDocument,
} from './client-document-rules.ts';

type Resolve = ClientDiscovery['resolve'];
type Request = Parameters<Resolve>[0];
type Client = NonNullable<Parameters<Resolve>[2]>;

/** The discovery id stored with each client that has a document. */
const DISCOVERY = 'client-document';

/** The routes that start or continue a connection. All others use the stored client. */
const READING_ROUTES = ['/oauth2/authorize', '/oauth2/token'];

/** How long the stored client is used while its document is unavailable. */
const MAX_STALE_MS = DAY;
const FAILURE_MS = MINUTE;
/** Limits per minute, because anyone can trigger a fetch and could use it to attack other hosts. */
const MAX_FETCHES = 60;
const MAX_FETCHES_OF_HOST = 10;
const MAX_CACHED = 1000;

/** The cached result of a document: the stored client matches it, or the failure. */
type CacheEntry = { readonly until: number; readonly failure: ClientDocumentError | null };

export function clientDocuments(fetchDocument: FetchDocument, clock: Clock): BetterAuthPlugin {
  const resolve = createResolver(fetchDocument, () => clock.now().getTime());
  const clientDiscovery: ClientDiscovery = {
    id: DISCOVERY,
    matches: isDocumentAddress,
    resolve: (ctx, clientId, existing) =>
      resolve(ctx, clientId, existing).catch((error: unknown) => {
        throw error instanceof ClientDocumentError ? answerOf(ctx, error) : error;
      }),
    discoveryMetadata: { client_id_metadata_document_supported: true },
  };
  return { id: 'client-documents', init: (ctx) => extendOAuthProvider(ctx, { clientDiscovery }) };
}

/** Throws ClientDocumentError. */
function createResolver(fetchDocument: FetchDocument, now: () => number) {
  const cache = createRecent<string, CacheEntry>(MAX_CACHED);
  const pending = new Map<string, Promise<Client>>();
  const countFetch = createFetchLimit(now);

  function remember(clientId: string, ms: number, failure: ClientDocumentError | null): void {
    cache.set(clientId, { until: now() + ms, failure });
  }

  async function load(ctx: Request, clientId: string, existing: Client | null): Promise<Client> {
    const cached = cache.get(clientId);
    if (cached !== undefined && cached.until > now()) {
      if (cached.failure !== null) throw cached.failure;
      if (existing !== null) return existing;
    }
    const url = readAddress(clientId);
    // Outside the try block, because an exceeded limit says nothing about this document and must not be cached.
    countFetch(url.host);
    try {
      const { text, cacheControl } = await fetchDocument(url);
      const client = await store(ctx, clientId, text, existing);
      remember(clientId, freshSeconds(cacheControl) * SECOND, null);
      return client;
    } catch (error) {
      if (error instanceof ClientDocumentError) remember(clientId, FAILURE_MS, error);
      throw error;
    }
  }

  function loadOnce(ctx: Request, clientId: string, existing: Client | null): Promise<Client> {
    const loading = pending.get(clientId) ?? load(ctx, clientId, existing).finally(() => pending.delete(clientId));
    pending.set(clientId, loading);
    return loading;
  }

  return async (ctx: Request, clientId: string, existing: Client | null): Promise<Client | null> => {
    if (!READING_ROUTES.includes(ctx.path ?? '')) return existing;
    try {
      return await loadOnce(ctx, clientId, existing);
    } catch (error) {
      const isTemporary = error instanceof ClientDocumentError && error.passing;
      const readAt = existing?.updatedAt?.getTime() ?? 0;
      // A short outage of its website does not disconnect a program.
      if (isTemporary && now() - readAt < MAX_STALE_MS) return existing;
      throw error;
    }
  };
}

/** Throws ClientDocumentError when the limit is exceeded. */
function createFetchLimit(now: () => number): (host: string) => void {
  let minute = 0;
  let counts = new Map<string, number>();
  return (host) => {
    const current = Math.floor(now() / MINUTE);
    if (current !== minute) counts = new Map();
    minute = current;
    const total = counts.values().reduce((sum, count) => sum + count, 0);
    const ofHost = counts.get(host) ?? 0;
    if (total >= MAX_FETCHES || ofHost >= MAX_FETCHES_OF_HOST)
      throw new ClientDocumentError('too many documents were fetched in this minute', { passing: true });
    counts.set(host, ofHost + 1);
  };
}

/** Stores the client of the document by the same rules as a registration. Throws ClientDocumentError. */
async function store(ctx: Request, clientId: string, text: string, existing: Client | null): Promise<Client> {
  const { name, redirectUris, grantTypes } = readDocument(clientId, text);
  const provider = ctx.context.getPlugin('oauth-provider');
  if (provider === null) throw new Error('client documents require an OAuth provider');
  try {
    const { client } = await registerClientMetadataDocument(ctx, provider.options as OAuthOptions<Scope[]>, {
      clientId,
      clientDiscoveryId: DISCOVERY,
      metadata: {
        client_id: clientId,
        ...(name !== undefined && { client_name: name }),
        redirect_uris: [...redirectUris],
        grant_types: grantTypes as ('authorization_code' | 'refresh_token')[],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      },
      ...(existing !== null && { existingClient: existing }),
    });
    return client;
  } catch (cause) {
    const description = cause instanceof APIError ? cause.body?.error_description : undefined;
    throw typeof description === 'string' ? new ClientDocumentError(description, { cause }) : cause;
  }
}

/** A browser is redirected to a page that explains the error; a program gets the OAuth error. */
function answerOf(ctx: Request, { message, passing }: ClientDocumentError): APIError {
  const error = passing ? 'temporarily_unavailable' : 'invalid_client';
  const error_description = `its published client metadata cannot be used: ${message}`;
  if (ctx.path === '/oauth2/authorize')
    return ctx.redirect(
      `${ctx.context.options.onAPIError?.errorURL}?${new URLSearchParams({ error, error_description })}`,
    );
  return new APIError(passing ? 'SERVICE_UNAVAILABLE' : 'BAD_REQUEST', { error, error_description });
}

const MAX_BYTES = 5 * 1024;
const MAX_MS = 5000;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

type FetchedDocument = { readonly text: string; readonly cacheControl: string | undefined };

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
