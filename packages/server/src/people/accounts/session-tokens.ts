// Sessions are stored under the hash of their token. For better-auth, the hash is the token: what browsers send and get in
// their cookie is translated on the way in and out, so all of its routes and plugins work as they are (docs/adr/0033).
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHmac, hash } from 'node:crypto';
import { newSecret } from '../../kernel/secrets/ids.ts';

/** 48 characters of 5.8 bits are 279 bits. */
const TOKEN_LENGTH = 48;

/** What is stored of a session's token. Migration 0101 computes the same of those of earlier versions. */
export function storedTokenOf(token: string): string {
  return hash('sha256', token, 'base64url');
}

/** The tokens of the current request, by what is stored of them. */
const tokensOfRequest = new AsyncLocalStorage<Map<string, string>>();

/** Returns what to store of the token of a new session. The response to the current request gets the token itself. */
export function issueToken(): string {
  const token = newSecret(TOKEN_LENGTH);
  const stored = storedTokenOf(token);
  tokensOfRequest.getStore()?.set(stored, token);
  return stored;
}

/** The name of the session's cookie, and the secret with which better-auth signs its cookies. */
export type CookieFormat = { readonly name: string; readonly secret: string };

/** Returns headers of a request as better-auth reads them. */
export function toStoredTokens(headers: Headers, format: CookieFormat, tokens = new Map<string, string>()): Headers {
  const translated = new Headers(headers);
  const sent = headers.get('cookie');
  if (sent === null) return translated;
  const cookies = sent.split(';').flatMap((cookie) => {
    const [name = '', ...value] = cookie.split('=');
    if (name.trim() === format.name) return toStoredCookie(value.join('='), format, tokens);
    // Another way to write the name could otherwise pass by the translation.
    return cookie.includes('session_token') ? [] : cookie.trim();
  });
  translated.set('cookie', cookies.join('; '));
  return translated;
}

/** Earlier versions sent a signature after the token, behind a dot. */
function toStoredCookie(value: string, { name, secret }: CookieFormat, tokens: Map<string, string>): string {
  const [token = ''] = value.trim().split(/\.|%2E/i);
  const stored = storedTokenOf(token);
  tokens.set(stored, token);
  const signature = createHmac('sha256', secret).update(stored).digest('base64');
  return `${name}=${encodeURIComponent(`${stored}.${signature}`)}`;
}

/** Runs a request to better-auth, which gets and sets the cookies of sessions. */
export async function withTokens(
  request: Request,
  format: CookieFormat,
  handler: (request: Request) => Promise<Response>,
): Promise<Response> {
  const tokens = new Map<string, string>();
  const translated = new Request(request, { headers: toStoredTokens(request.headers, format, tokens) });
  const response = await tokensOfRequest.run(tokens, () => handler(translated));
  const cookies = response.headers.getSetCookie();
  response.headers.delete('set-cookie');
  for (const cookie of cookies) response.headers.append('set-cookie', toSentCookie(cookie, format, tokens));
  return response;
}

/** A cookie without a value ends the session in the browser. */
function toSentCookie(cookie: string, { name }: CookieFormat, tokens: ReadonlyMap<string, string>): string {
  const [pair = '', ...attributes] = cookie.split(';');
  if (!pair.startsWith(`${name}=`)) return cookie;
  const [stored = ''] = decodeURIComponent(pair.slice(name.length + 1)).split('.');
  const token = stored === '' ? '' : tokens.get(stored);
  if (token === undefined) throw new Error('better-auth set the cookie of a session that is not of this request');
  return [`${name}=${token}`, ...attributes].join(';');
}
