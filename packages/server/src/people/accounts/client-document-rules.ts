// The rules for client ID metadata documents: their address, content and caching.
import { LIMITS } from '@chauffeur/contract/limits';
import { cleanLine } from '@chauffeur/contract/text';

/** The message is a clause that gives the developer of the program the reason, such as `it is not JSON`. */
export class ClientDocumentError extends Error {
  override readonly name = 'ClientDocumentError';
  /** Whether the document may be available again soon, so that existing tokens can be kept. */
  readonly passing: boolean;

  constructor(message: string, { passing = false, cause }: { passing?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.passing = passing;
  }
}

const MAX_ADDRESS_LENGTH = LIMITS.agentClientIdLength;
const MAX_NAME_LENGTH = LIMITS.agentClientNameLength;
const MAX_REDIRECTS = LIMITS.agentRedirects;
const GRANTS = ['authorization_code', 'refresh_token'];

const MIN_SECONDS = 5 * 60;
const MAX_SECONDS = 24 * 3600;
/** How long to keep documents without a Cache-Control header. */
const DEFAULT_SECONDS = 3600;

/** The fields of a document that are used. Others, such as a logo, are ignored. */
type ClientDocument = {
  readonly name: string | undefined;
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly string[];
};

/** Whether a client_id is the address of a document. Ids issued here consist of letters only. */
export function isDocumentAddress(clientId: string): boolean {
  return /^https?:/i.test(clientId);
}

/**
 * Parses the address. It must be in normal form, without dot segments, a default port or capital letters in its host,
 * so that a document has only one address (draft-ietf-oauth-client-id-metadata-document, section 3). Throws
 * ClientDocumentError.
 */
export function readAddress(clientId: string): URL {
  if (clientId.length > MAX_ADDRESS_LENGTH) throw refused(`client_id is longer than ${MAX_ADDRESS_LENGTH} characters`);
  if (!URL.canParse(clientId)) throw refused('client_id is not a URL');
  const url = new URL(clientId);
  if (url.protocol !== 'https:') throw refused('client_id must start with https://');
  if (url.username !== '' || url.password !== '') throw refused('client_id contains a user or password');
  // URL.hash does not show an empty fragment.
  if (clientId.includes('#')) throw refused('client_id has a fragment');
  if (url.pathname === '/') throw refused('client_id has no path');
  if (!/\.[a-z][a-z0-9-]*$/.test(url.hostname)) throw refused('client_id has no public host name');
  if (url.href !== clientId) throw refused(`client_id must be written as ${url.href}`);
  return url;
}

/** Parses the document at the address. Throws ClientDocumentError if it is not accepted. */
export function readDocument(address: string, text: string): ClientDocument {
  const document = parse(text);
  if (document.client_id !== address) throw refused('its client_id is not the address it was fetched from');
  const { token_endpoint_auth_method: method = 'none', client_name: name } = document;
  if (method !== 'none') throw refused('its token_endpoint_auth_method is not "none", the only supported method');
  if (Object.hasOwn(document, 'client_secret')) throw refused('it contains a client_secret, which would be public');
  if (name !== undefined && (typeof name !== 'string' || name.length > MAX_NAME_LENGTH))
    throw refused(`its client_name is not a text of up to ${MAX_NAME_LENGTH} characters`);
  const redirectUris = textsOf(document, 'redirect_uris');
  if (redirectUris === undefined || redirectUris.length === 0 || redirectUris.length > MAX_REDIRECTS)
    throw refused(`it must have 1 to ${MAX_REDIRECTS} redirect_uris`);
  const grantTypes = (textsOf(document, 'grant_types') ?? GRANTS).filter((grant) => GRANTS.includes(grant));
  if (!grantTypes.includes('authorization_code')) throw refused('its grant_types do not include authorization_code');
  return { name: name === undefined ? undefined : cleanLine(name), redirectUris, grantTypes };
}

function parse(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw refused('it is not JSON', cause);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refused('it is not a JSON object');
  return value as Record<string, unknown>;
}

function textsOf(document: Record<string, unknown>, name: string): string[] | undefined {
  const value = document[name];
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((text) => typeof text === 'string')) return value;
  throw refused(`its ${name} is not a list of texts`);
}

/**
 * How many seconds a document is cached according to its Cache-Control (RFC 9111, section 5.2.2), within our limits.
 */
export function freshSeconds(cacheControl: string | undefined): number {
  const directives = (cacheControl ?? '').toLowerCase();
  if (/(^|[\s,])no-(store|cache)\b/.test(directives)) return MIN_SECONDS;
  const [, seconds] =
    /(?:^|[\s,])s-maxage="?(\d+)/.exec(directives) ?? /(?:^|[\s,])max-age="?(\d+)/.exec(directives) ?? [];
  return seconds === undefined ? DEFAULT_SECONDS : Math.min(Math.max(Number(seconds), MIN_SECONDS), MAX_SECONDS);
}

function refused(message: string, cause?: unknown): ClientDocumentError {
  return new ClientDocumentError(message, { cause });
}
