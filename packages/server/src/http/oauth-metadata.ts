// Serves the two documents by which OAuth clients discover the endpoints, with only the features that this service
// supports.
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import type { Auth } from '../people/accounts/accounts.ts';
import { mountAgentPreflight } from '../request/agent-origins.ts';
import { agentResource, oauthIssuer } from '../request/oauth-addresses.ts';
import { forwardToAuth, sendResponse, targetOf } from './forward-to-auth.ts';

/**
 * The supported members of better-auth's documents. Others, such as DPoP, are for clients that are not supported here.
 */
const ANNOUNCED = new Set([
  // RFC 8414
  ...[
    'issuer',
    'authorization_endpoint',
    'token_endpoint',
    'jwks_uri',
    'registration_endpoint',
    'revocation_endpoint',
    'introspection_endpoint',
  ],
  ...['scopes_supported', 'response_types_supported', 'response_modes_supported', 'grant_types_supported'],
  ...['code_challenge_methods_supported', 'authorization_response_iss_parameter_supported'],
  ...['client_id_metadata_document_supported'],
  // RFC 9728
  ...['resource', 'authorization_servers', 'bearer_methods_supported'],
]);

/** The authentication methods of clients, by the grants that they may request. */
const AUTH_METHODS = {
  token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
};

/**
 * The addresses of the two documents: of the resource (RFC 9728, section 3.1), and of the authorization server, below
 * the path of its issuer (RFC 8414, section 3.1) and, for older clients, without it.
 */
export function mountOAuthMetadata(app: FastifyInstance, ctx: Context, auth: Auth): void {
  const server = `/.well-known/oauth-authorization-server${new URL(oauthIssuer(ctx.publicUrl)).pathname}`;
  const resource = `/.well-known/oauth-protected-resource${new URL(agentResource(ctx.publicUrl)).pathname}`;
  const documents = {
    '/.well-known/oauth-authorization-server': server,
    [server]: server,
    '/.well-known/oauth-protected-resource': resource,
    [resource]: resource,
  };
  for (const [url, document] of Object.entries(documents)) {
    // Clients ask for the documents with the version of the protocol in a header.
    mountAgentPreflight(app, ctx, url, ['GET']);
    app.get(url, { config: { operation: 'oauth.metadata' } }, async (request, reply) => {
      reply.header('access-control-allow-origin', '*');
      const target = targetOf(ctx, request);
      target.pathname = document;
      const response = await forwardToAuth(auth, request, { target });
      if (!response.ok) return sendResponse(reply, response);
      const announced = announcedOf((await response.json()) as Record<string, unknown>);
      return sendResponse(reply, Response.json(announced, { headers: response.headers }));
    });
  }
}

function announcedOf(document: Record<string, unknown>): object {
  return {
    ...Object.fromEntries(Object.entries(document).filter(([name]) => ANNOUNCED.has(name))),
    ...('token_endpoint' in document && AUTH_METHODS),
  };
}
