// Knows programs by the documents that they publish of themselves: their client_id is its address (draft-ietf-oauth-client-id-metadata-document).
import { type ClientDiscovery, extendOAuthProvider, type OAuthOptions, type Scope } from '@better-auth/oauth-provider';
import { registerClientMetadataDocument } from '@better-auth/oauth-provider/internal';
import type { BetterAuthPlugin } from 'better-auth';
import { APIError } from 'better-call';
import { type Clock, DAY, MINUTE, SECOND } from '../../kernel/clock.ts';
import { ClientDocumentError } from './client-document-error.ts';
import type { FetchDocument } from './client-document-fetch.ts';
import { freshSeconds, isDocumentAddress, readAddress, readDocument } from './client-document-rules.ts';

type Resolve = ClientDiscovery['resolve'];
type Request = Parameters<Resolve>[0];
type Client = NonNullable<Parameters<Resolve>[2]>;

/** Stands beside each client that has a document. */
const DISCOVERY = 'client-document';

/** Where a program begins to act, or goes on; all else has no need of a document newer than the one that is known. */
const READING_ROUTES = ['/oauth2/authorize', '/oauth2/token'];

/** For how long a document that cannot be reached is taken as it was last. */
const LAST_RESORT_MS = DAY;
const FAILURE_MS = MINUTE;
/** Anybody can have this service fetch something: so many a minute, so that it is of no use for attacks on others. */
const MOST_FETCHES = 60;
const MOST_FETCHES_OF_HOST = 10;
const MOST_KNOWN = 1000;

/** What is known of a document: that the stored client is as it says, or why there is none. */
type Known = { readonly until: number; readonly failure: ClientDocumentError | null };

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
  const known = new Map<string, Known>();
  const underWay = new Map<string, Promise<Client>>();
  const countFetch = createFetchLimit(now);

  function remember(clientId: string, ms: number, failure: ClientDocumentError | null): void {
    known.delete(clientId);
    known.set(clientId, { until: now() + ms, failure });
    const [oldest] = known.keys();
    if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
  }

  async function load(ctx: Request, clientId: string, existing: Client | null): Promise<Client> {
    const found = known.get(clientId);
    if (found !== undefined && found.until > now()) {
      if (found.failure !== null) throw found.failure;
      if (existing !== null) return existing;
    }
    const url = readAddress(clientId);
    // Not remembered: it says nothing about this document.
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
    const loading = underWay.get(clientId) ?? load(ctx, clientId, existing).finally(() => underWay.delete(clientId));
    underWay.set(clientId, loading);
    return loading;
  }

  return async (ctx: Request, clientId: string, existing: Client | null): Promise<Client | null> => {
    if (!READING_ROUTES.includes(ctx.path ?? '')) return existing;
    try {
      return await loadOnce(ctx, clientId, existing);
    } catch (error) {
      const isPassing = error instanceof ClientDocumentError && error.passing;
      const readAt = existing?.updatedAt?.getTime() ?? 0;
      // A short outage of its maker’s website does not disconnect a program.
      if (isPassing && now() - readAt < LAST_RESORT_MS) return existing;
      throw error;
    }
  };
}

/** Throws ClientDocumentError past the limit. */
function createFetchLimit(now: () => number): (host: string) => void {
  let minute = 0;
  let counts = new Map<string, number>();
  return (host) => {
    const current = Math.floor(now() / MINUTE);
    if (current !== minute) counts = new Map();
    minute = current;
    const total = counts.values().reduce((sum, count) => sum + count, 0);
    const ofHost = counts.get(host) ?? 0;
    if (total >= MOST_FETCHES || ofHost >= MOST_FETCHES_OF_HOST)
      throw new ClientDocumentError('too many documents were read in this minute', { passing: true });
    counts.set(host, ofHost + 1);
  };
}

/** Keeps what the document says, by the same rules as a registration. Throws ClientDocumentError. */
async function store(ctx: Request, clientId: string, text: string, existing: Client | null): Promise<Client> {
  const { name, redirectUris, grantTypes } = readDocument(clientId, text);
  const provider = ctx.context.getPlugin('oauth-provider');
  if (provider === null) throw new Error('there are client documents without an OAuth provider');
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
    const said = cause instanceof APIError ? cause.body?.error_description : undefined;
    throw typeof said === 'string' ? new ClientDocumentError(said, { cause }) : cause;
  }
}

/** A person’s browser is sent to a page that says it in words; a program gets the error of OAuth. */
function answerOf(ctx: Request, { message, passing }: ClientDocumentError): APIError {
  const error = passing ? 'temporarily_unavailable' : 'invalid_client';
  const error_description = `the description that it publishes cannot be used: ${message}`;
  if (ctx.path === '/oauth2/authorize')
    return ctx.redirect(
      `${ctx.context.options.onAPIError?.errorURL}?${new URLSearchParams({ error, error_description })}`,
    );
  return new APIError(passing ? 'SERVICE_UNAVAILABLE' : 'BAD_REQUEST', { error, error_description });
}
