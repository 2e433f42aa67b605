// Adds protective headers to responses: secrets are never cached, and browsers use HTTPS if the service does.
import type { FastifyInstance, onSendHookHandler } from 'fastify';
import type { Context } from '../context.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether responses of the route contain secrets, which must not be cached. */
    secret?: boolean;
  }
}

/**
 * One year, as browsers recommend. Without `includeSubDomains`, because other hosts below this name are not ours to
 * decide about (RFC 6797, section 6.1).
 */
const HSTS = 'max-age=31536000';

export function addResponseHeaders(app: FastifyInstance, ctx: Context): void {
  const hasHttps = ctx.publicUrl.startsWith('https:');
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    if (hasHttps) reply.header('strict-transport-security', HSTS);
  });
  app.addHook('onRoute', (route) => {
    if (route.config?.secret === true) route.onSend = [forbidStoring, ...[route.onSend ?? []].flat()];
  });
}

/** Added when the response is sent, so that no handler can weaken it and errors have it as well. */
const forbidStoring: onSendHookHandler = (_request, reply, payload, done) => {
  reply.header('cache-control', 'no-store');
  done(null, payload);
};
