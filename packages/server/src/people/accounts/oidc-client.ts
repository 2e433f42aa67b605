// The calls to the operator's OpenID provider: discovery, the exchange of a code, the claims of a person (OpenID Connect
// Core 1.0, OpenID Connect Discovery 1.0).
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';

export type OidcSettings = { readonly issuer: string; readonly clientId: string; readonly clientSecret: string };

export type Metadata = {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly userinfoEndpoint: string | undefined;
  readonly keys: ReturnType<typeof createRemoteJWKSet>;
  /** Whether the client sends its secret in the Authorization header, the default, or else in the form. */
  readonly usesBasic: boolean;
};

/** The provider answered something unusable, or nothing in time. */
class OidcError extends Error {
  override readonly name = 'OidcError';
}

const TIMEOUT_MS = 8000;
const MAX_ANSWER_BYTES = 256 * 1024;
/** The provider's clock may be this far from ours. */
const CLOCK_SECONDS = 60;
/** Signatures that only the provider can make: HS256 would accept our own secret as a key. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** OpenID Connect Core, section 2. */
const MAX_SUBJECT_LENGTH = 255;

export type ProviderFields = Readonly<Record<string, unknown>>;

/** Fetches and checks the metadata. Throws OidcError. */
export async function discover({ issuer }: OidcSettings): Promise<Metadata> {
  const found = await ask(`${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`, {});
  if (typeof found.issuer !== 'string' || found.issuer.replace(/\/+$/, '') !== issuer.replace(/\/+$/, ''))
    throw new OidcError(`The provider is for the issuer ${String(found.issuer)}, not for ${issuer}.`);
  const methods = found.token_endpoint_auth_methods_supported;
  return {
    issuer: found.issuer,
    authorizationEndpoint: endpointOf(found, 'authorization_endpoint', issuer),
    tokenEndpoint: endpointOf(found, 'token_endpoint', issuer),
    userinfoEndpoint:
      found.userinfo_endpoint === undefined ? undefined : endpointOf(found, 'userinfo_endpoint', issuer),
    keys: createRemoteJWKSet(new URL(endpointOf(found, 'jwks_uri', issuer)), { timeoutDuration: TIMEOUT_MS }),
    usesBasic: !Array.isArray(methods) || methods.includes('client_secret_basic'),
  };
}

/** An issuer with https must not send secrets over http. */
function endpointOf(metadata: ProviderFields, name: string, issuer: string): string {
  const url = URL.parse(String(metadata[name]));
  if (url === null || !['https:', new URL(issuer).protocol].includes(url.protocol))
    throw new OidcError(`The provider's ${name} is not a URL with https.`);
  return url.href;
}

/** Exchanges a code for the tokens of the person. Throws OidcError. */
export async function exchangeCode(
  { clientId, clientSecret }: OidcSettings,
  { tokenEndpoint, usesBasic }: Metadata,
  { code, redirectUri, verifier }: { code: string; redirectUri: string; verifier: string },
): Promise<{ idToken: string; accessToken: string }> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...(!usesBasic && { client_id: clientId, client_secret: clientSecret }),
  });
  // Both parts are encoded as in a form before they are joined (RFC 6749, section 2.3.1).
  const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
  const basic = Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64');
  const { id_token: idToken, access_token: accessToken } = await ask(tokenEndpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(usesBasic && { authorization: `Basic ${basic}` }),
    },
    body: form.toString(),
  });
  if (typeof idToken !== 'string' || typeof accessToken !== 'string')
    throw new OidcError('The provider returned no tokens.');
  return { idToken, accessToken };
}

/** The claims of the person in the ID token and, if it has no email, at the userinfo endpoint. Throws OidcError. */
export async function readClaims(
  { clientId }: OidcSettings,
  metadata: Metadata,
  { idToken, accessToken, nonce }: { idToken: string; accessToken: string; nonce: string },
): Promise<ProviderFields & { sub: string }> {
  const claims = await verifyIdToken(clientId, metadata, idToken, nonce);
  if (claims.email !== undefined || metadata.userinfoEndpoint === undefined) return claims;
  const userinfo = await ask(metadata.userinfoEndpoint, { headers: { authorization: `Bearer ${accessToken}` } });
  if (userinfo.sub !== claims.sub) throw new OidcError('The userinfo is about another person than the ID token.');
  return { ...userinfo, sub: claims.sub };
}

async function verifyIdToken(
  clientId: string,
  { issuer, keys }: Metadata,
  idToken: string,
  nonce: string,
): Promise<JWTPayload & { sub: string }> {
  const { payload } = await jwtVerify(idToken, keys, {
    issuer,
    audience: clientId,
    algorithms: ALGORITHMS,
    clockTolerance: CLOCK_SECONDS,
    requiredClaims: ['sub', 'exp', 'iat', 'nonce'],
  }).catch((cause) => {
    throw new OidcError('The ID token is invalid.', { cause });
  });
  if (payload.nonce !== nonce) throw new OidcError('The ID token is for another sign-in.');
  // OpenID Connect Core, section 3.1.3.7, steps 4 and 5.
  const isForOthersToo = Array.isArray(payload.aud) && payload.aud.length > 1;
  if ((isForOthersToo || payload.azp !== undefined) && payload.azp !== clientId)
    throw new OidcError('The ID token was issued to another client.');
  const { sub = '' } = payload;
  if (sub.trim() === '' || sub.length > MAX_SUBJECT_LENGTH) throw new OidcError('The ID token has no valid subject.');
  return { ...payload, sub };
}

/** Requests a JSON object. Redirects are not followed, because secrets would be sent along. Throws OidcError. */
async function ask(url: string, init: RequestInit): Promise<ProviderFields> {
  try {
    const response = await fetch(url, {
      ...init,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { accept: 'application/json', ...init.headers },
    });
    const value: unknown = JSON.parse(await readText(response));
    if (!response.ok) throw new OidcError(`${url} responded with ${response.status}.`);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new OidcError(`${url} did not return a JSON object.`);
    return value as ProviderFields;
  } catch (error) {
    throw error instanceof OidcError ? error : new OidcError(`${url} could not be read.`, { cause: error });
  }
}

async function readText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > MAX_ANSWER_BYTES) throw new OidcError(`${response.url} returned more than ${MAX_ANSWER_BYTES} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
