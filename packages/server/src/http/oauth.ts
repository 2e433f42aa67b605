// Hands the requests of OAuth clients to better-auth: what they leave out is filled in, and what is not offered here is kept away.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import type { Auth } from '../features/accounts/accounts.ts';
import { agentResource, oauthIssuer, offersOAuth } from '../features/accounts/oauth.ts';
import { addBytesParser, bodyDeadlineMs } from '../kernel/bytes-parser.ts';
import { handOver } from './accounts.ts';

/** Of a form or of JSON; the largest that is registered is far below. */
const BODY_BYTES = 64 * 1024;
const OFFERED = ['authorize', 'consent', 'introspect', 'register', 'revoke', 'token'] as const;

export function mountOAuth(app: FastifyInstance, ctx: Context, auth: Auth): void {
  if (!offersOAuth(ctx.publicUrl)) return;
  mountMetadata(app, ctx, auth);
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Forms may name a parameter twice, which is better-auth’s to judge.
    addBytesParser(scope, '*', bodyDeadlineMs(ctx.config), (body) => body.toString());
    for (const name of OFFERED) {
      scope.route({
        method: ['GET', 'POST'],
        url: `/api/auth/oauth2/${name}`,
        bodyLimit: BODY_BYTES,
        config: { operation: `oauth.${name}` },
        handler: (request, reply) => handOver(ctx, auth, request, reply, { ...complete(ctx, name, request), relocate }),
      });
    }
    // Ways to change clients and consents that this site has no use for.
    scope.all('/api/auth/oauth2/*', async (_request, reply) => reply.callNotFound());
    scope.all('/api/auth/admin/*', async (_request, reply) => reply.callNotFound());
  });
}

/**
 * Where clients look for the two documents: that of the resource (RFC 9728, section 3.1), and that of the authorization server, below the
 * path of its issuer (RFC 8414, section 3.1) and, for older ones, without it.
 */
function mountMetadata(app: FastifyInstance, ctx: Context, auth: Auth): void {
  const server = `/.well-known/oauth-authorization-server${new URL(oauthIssuer(ctx.publicUrl)).pathname}`;
  const resource = `/.well-known/oauth-protected-resource${new URL(agentResource(ctx.publicUrl)).pathname}`;
  const documents = {
    '/.well-known/oauth-authorization-server': server,
    [server]: server,
    '/.well-known/oauth-protected-resource': resource,
    [resource]: resource,
  };
  for (const [url, document] of Object.entries(documents)) {
    app.get(url, { config: { operation: 'oauth.metadata' } }, async (request, reply) => {
      reply.header('access-control-allow-origin', '*');
      return handOver(ctx, auth, request, reply, { url: document });
    });
  }
}

const CONSENT_PAGE = '/consent';

/** The page gets what it was sent as one text, which the site’s router does not take apart and write anew. */
function relocate(location: string): string {
  const [page, query] = location.split('?', 2);
  return page === CONSENT_PAGE ? `${page}?${new URLSearchParams({ request: query ?? '' })}` : location;
}

type Completed = { url: string; body?: string };

function complete(ctx: Context, name: (typeof OFFERED)[number], request: FastifyRequest): Completed {
  const body = typeof request.body === 'string' ? request.body : undefined;
  if (name === 'authorize') return { url: completeAuthorization(ctx, request.url) };
  if (name === 'register' && body !== undefined) return { url: request.url, body: completeRegistration(body) };
  return body === undefined ? { url: request.url } : { url: request.url, body };
}

/**
 * Clients made before resource indicators leave out which resource they want, of which there is one. Refresh tokens are given to all that
 * can use them. And who asks is shown each time: any program on a machine can come with the name and the address of another.
 */
function completeAuthorization(ctx: Context, url: string): string {
  const [path = '', query = ''] = url.split('?', 2);
  const params = new URLSearchParams(query);
  if (!params.has('resource')) params.set('resource', agentResource(ctx.publicUrl));
  const scopes = params.get('scope')?.split(' ').filter(Boolean) ?? [];
  if (scopes.length > 0) params.set('scope', [...new Set([...scopes, 'offline_access'])].join(' '));
  const prompts = params.get('prompt')?.split(' ').filter(Boolean) ?? [];
  if (!prompts.includes('none')) params.set('prompt', [...new Set([...prompts, 'consent'])].join(' '));
  return `${path}?${params}`;
}

/**
 * Programs on people’s machines, which most are, do not say so, or say that they are websites; taken for such, their addresses on localhost
 * would be refused. What a website may have, they may have as well.
 */
function completeRegistration(body: string): string {
  try {
    const asked: unknown = JSON.parse(body);
    if (typeof asked !== 'object' || asked === null || Array.isArray(asked)) return body;
    return JSON.stringify({
      grant_types: ['authorization_code', 'refresh_token'],
      ...asked,
      application_type: 'native',
    });
  } catch {
    // What is no JSON is better-auth’s to refuse.
    return body;
  }
}
