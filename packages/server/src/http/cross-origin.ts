// Lets pages of any origin call the operations for games, because web builds of a game may run on other sites (Fetch
// Standard, CORS).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const REQUEST_HEADERS = 'Content-Type, Content-Encoding, Idempotency-Key, X-App-Id, X-Build-Id, X-Read-Token';
/** How long browsers may cache the response to a preflight. */
export const PREFLIGHT_SECONDS = 86_400;

const READS = new Set(['GET', 'HEAD']);

/**
 * Marks a response as readable by any page. Cookies are never included: `*` excludes them. Responses to reads are
 * always marked, because a cache may serve a response to a program again to a page; responses to other requests only if
 * a page sent them, because most of them come from games.
 */
export function allowAnyOrigin({ method, headers }: FastifyRequest, reply: FastifyReply): void {
  if (headers.origin === undefined && !READS.has(method)) return;
  reply.header('access-control-allow-origin', '*').header('access-control-expose-headers', 'Retry-After, X-Request-Id');
}

/** Responds to the preflights of these routes; `url` is in the router's notation. */
export function mountPreflights(app: FastifyInstance, routes: readonly { method: string; url: string }[]): void {
  const byPath = Map.groupBy(routes, ({ url }) => url.replace(/:\w+/g, ':id'));
  for (const [path, found] of byPath) {
    const methods = found.map(({ method }) => method).join(', ');
    app.options(path, async (request, reply) => {
      allowAnyOrigin(request, reply);
      return reply
        .code(204)
        .header('access-control-allow-methods', methods)
        .header('access-control-allow-headers', REQUEST_HEADERS)
        .header('access-control-max-age', String(PREFLIGHT_SECONDS))
        .send();
    });
  }
}
