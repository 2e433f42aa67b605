// Identifies an agent by the bearer token of its request, which is a personal key or an access token of the OAuth
// server.
import { type ApiError, CODES, errors } from '@chauffeur/contract/errors';
import type { AccountCaller, Context } from '../context.ts';
import { type Auth, accessTokenOf } from '../people/accounts/accounts.ts';
import { agentResource, offersOAuth } from '../request/agent-addresses.ts';
import { callerOfConnection, callerOfKey, isAgentKey } from '../team/agents/agents.ts';

/** Longer than every key and token of this service. */
const MAX_TOKEN_LENGTH = 4096;

/**
 * Throws `notSignedIn` without a token, and `unknownPersonalKey` for an invalid one. Cookies and deploy keys are
 * ignored.
 */
export async function identifyAgent(
  ctx: Context,
  auth: Auth,
  authorization: string | undefined,
): Promise<AccountCaller> {
  const [, token] = /^bearer +(\S+)$/i.exec(authorization?.trim() ?? '') ?? [];
  if (token === undefined) throw errors.notSignedIn('Send a personal key or an access token as a bearer token.');
  const caller = token.length > MAX_TOKEN_LENGTH ? null : await callerOf(ctx, auth, token);
  if (caller === null) throw errors.unknownPersonalKey();
  return caller;
}

async function callerOf(ctx: Context, auth: Auth, token: string): Promise<AccountCaller | null> {
  if (isAgentKey(token)) return callerOfKey(ctx, token);
  const claims = await accessTokenOf(auth, token);
  return claims === null ? null : callerOfConnection(ctx, claims);
}

/** How a client gets a token (RFC 6750, section 3; RFC 9728, section 5.1). */
export function challengeOf(ctx: Context, error: ApiError): string {
  const parameters = offersOAuth(ctx.publicUrl)
    ? [`resource_metadata="${metadataUrl(ctx.publicUrl)}"`, 'scope="mcp:read mcp:write"']
    : ['realm="personal key"'];
  return `Bearer ${[...(error.code === CODES.unknownPersonalKey ? ['error="invalid_token"'] : []), ...parameters].join(', ')}`;
}

function metadataUrl(publicUrl: string): string {
  const { origin, pathname } = new URL(agentResource(publicUrl));
  return `${origin}/.well-known/oauth-protected-resource${pathname}`;
}
