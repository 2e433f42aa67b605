// What a client ID metadata document has to be: the rules for its address, its text, and how long it is good for.
import { LIMITS } from '@chauffeur/contract/limits';
import { ClientDocumentError } from './client-document-error.ts';

const MOST_ADDRESS = LIMITS.agentClientIdLength;
const MOST_NAME = 200;
const MOST_REDIRECTS = 20;
const GRANTS = ['authorization_code', 'refresh_token'];

const LEAST_SECONDS = 5 * 60;
const MOST_SECONDS = 24 * 3600;
/** For documents that do not say. */
const USUAL_SECONDS = 3600;

/** What is taken of a document. All else that it says of itself, such as a picture, is not looked at. */
export type ClientDocument = {
  readonly name: string | undefined;
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly string[];
};

/** Whether a client_id is meant as the address of a document. Those that are given out here are letters alone. */
export function isDocumentAddress(clientId: string): boolean {
  return /^https?:/i.test(clientId);
}

/**
 * The address as a URL. It has to stand in the one form in which URLs are written, so that two texts are never the same document: without
 * dot segments, a port that goes without saying, or capitals in its host (draft-ietf-oauth-client-id-metadata-document, section 3). Throws
 * ClientDocumentError.
 */
export function readAddress(clientId: string): URL {
  if (clientId.length > MOST_ADDRESS) throw refused(`client_id is longer than ${MOST_ADDRESS} characters`);
  if (!URL.canParse(clientId)) throw refused('client_id is no URL');
  const url = new URL(clientId);
  if (url.protocol !== 'https:') throw refused('client_id has to begin with https://');
  if (url.username !== '' || url.password !== '') throw refused('client_id has a user or password in it');
  // An empty fragment is one, too, of which URL.hash tells nothing.
  if (clientId.includes('#')) throw refused('client_id has a fragment');
  if (url.pathname === '/') throw refused('client_id has no path');
  if (!/\.[a-z][a-z0-9-]*$/.test(url.hostname)) throw refused('client_id has no host name of the internet');
  if (url.href !== clientId) throw refused(`client_id has to be written as ${url.href}`);
  return url;
}

/** What the document at that address says. Throws ClientDocumentError for one that this service does not take. */
export function readDocument(address: string, text: string): ClientDocument {
  const document = parse(text);
  if (document.client_id !== address) throw refused('its client_id is not the address that it was read at');
  const { token_endpoint_auth_method: method = 'none', client_name: name } = document;
  if (method !== 'none') throw refused('its token_endpoint_auth_method is not "none", the only one for programs here');
  if (Object.hasOwn(document, 'client_secret')) throw refused('it has a client_secret, which everybody can read');
  if (name !== undefined && (typeof name !== 'string' || name.length > MOST_NAME))
    throw refused(`its client_name is no text of up to ${MOST_NAME} characters`);
  const redirectUris = textsOf(document, 'redirect_uris');
  if (redirectUris === undefined || redirectUris.length === 0 || redirectUris.length > MOST_REDIRECTS)
    throw refused(`it has to have redirect_uris, up to ${MOST_REDIRECTS}`);
  const grantTypes = (textsOf(document, 'grant_types') ?? GRANTS).filter((grant) => GRANTS.includes(grant));
  if (!grantTypes.includes('authorization_code')) throw refused('its grant_types are without authorization_code');
  return { name, redirectUris, grantTypes };
}

function parse(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw refused('it is no JSON', cause);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refused('it is no JSON object');
  return value as Record<string, unknown>;
}

function textsOf(document: Record<string, unknown>, name: string): string[] | undefined {
  const value = document[name];
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((text) => typeof text === 'string')) return value;
  throw refused(`its ${name} is no list of texts`);
}

/** For how many seconds a document is taken as it is, by its Cache-Control (RFC 9111, section 5.2.2), within our bounds. */
export function freshSeconds(cacheControl: string | undefined): number {
  const said = (cacheControl ?? '').toLowerCase();
  if (/(^|[\s,])no-(store|cache)\b/.test(said)) return LEAST_SECONDS;
  const [, seconds] = /(?:^|[\s,])s-maxage="?(\d+)/.exec(said) ?? /(?:^|[\s,])max-age="?(\d+)/.exec(said) ?? [];
  return seconds === undefined ? USUAL_SECONDS : Math.min(Math.max(Number(seconds), LEAST_SECONDS), MOST_SECONDS);
}

function refused(message: string, cause?: unknown): ClientDocumentError {
  return new ClientDocumentError(message, { cause });
}
