// The addresses of agents: of the OAuth server and the resource that it protects, and the origins of web pages that may
// connect as agents. If the operator allows an origin, its pages may read the responses of /mcp and of the OAuth
// endpoints (Fetch Standard, CORS). Cookies are never part of it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';

/** The address that access tokens are issued for (RFC 8707). */
export function agentResource(publicUrl: string): string {
  return `${publicUrl}/mcp`;
}

/** The issuer of access tokens. */
export function oauthIssuer(publicUrl: string): string {
  return `${publicUrl}/api/auth`;
}

/**
 * OAuth requires HTTPS, except on a loopback address (RFC 8252, section 8.3). A service without it offers agents
 * personal keys only.
 */
export function offersOAuth(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** What the Streamable HTTP transport and OAuth send, in addition to what pages may always send. */
const REQUEST_HEADERS =
  'Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id';
/** `WWW-Authenticate` says where to get a token. */
const EXPOSED_HEADERS = 'Mcp-Session-Id, Retry-After, WWW-Authenticate, X-Request-Id';
/** How long browsers may cache the response to a preflight. A request of an origin that was removed is still refused. */
const PREFLIGHT_SECONDS = 7200;

/** Whether pages of this origin may connect. `origin` is what a browser sends. */
export function mayConnect({ config }: Context, origin: string | undefined): boolean {
  return origin !== undefined && config.mcpOrigins?.split(',').includes(origin) === true;
}

/** Lets the page that sent the request read the response, including errors, if it may connect. */
export function allowAgentOrigin(ctx: Context, request: FastifyRequest, reply: FastifyReply): void {
  const { origin } = request.headers;
  if (ctx.config.mcpOrigins !== undefined) reply.header('vary', 'Origin');
  if (mayConnect(ctx, origin))
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', EXPOSED_HEADERS);
}

/** Responds to the preflights of a route. Without the operator's permission, there is no such route. */
export function mountAgentPreflight(app: FastifyInstance, ctx: Context, url: string, methods: readonly string[]): void {
  if (ctx.config.mcpOrigins === undefined) return;
  app.options(url, async (request, reply) => {
    allowAgentOrigin(ctx, request, reply);
    if (mayConnect(ctx, request.headers.origin))
      reply
        .header('access-control-allow-methods', methods.join(', '))
        .header('access-control-allow-headers', REQUEST_HEADERS)
        .header('access-control-max-age', String(PREFLIGHT_SECONDS));
    return reply.code(204).send();
  });
}
