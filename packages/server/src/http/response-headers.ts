// Headers that protect answers: secrets are never stored, and browsers keep to HTTPS where the service has it.
import type { FastifyInstance, onSendHookHandler } from 'fastify';
import type { Context } from '../context.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers of the route carry secrets, so nothing on their way may store them. */
    secret?: boolean;
  }
}

/**
 * A year, as browsers recommend. Without `includeSubDomains`: other hosts below the name are not this service's to decide about
 * (RFC 6797, section 6.1).
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

/** When the answer is sent, so that no handler sets anything weaker, and errors have it as well. */
const forbidStoring: onSendHookHandler = (_request, reply, payload, done) => {
  reply.header('cache-control', 'no-store');
  done(null, payload);
};
