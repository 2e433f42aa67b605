// Lets pages of any origin call the operations that are for games: web builds of a game live on other sites (Fetch Standard, CORS).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const REQUEST_HEADERS = 'Content-Type, Content-Encoding, X-App-Id, X-Build-Id, X-Read-Token';
/** How long a browser may keep the answer to its question. */
const KEPT_SECONDS = 86_400;

const READS = new Set(['GET', 'HEAD']);

/**
 * Marks an answer as one that any page may read. Cookies stay out of it: `*` goes with none. A cache may give what was read by a program to
 * a page, so what is read always has the mark; what is sent has it where a page sends, since games send most of all.
 */
export function allowAnyOrigin({ method, headers }: FastifyRequest, reply: FastifyReply): void {
  if (headers.origin === undefined && !READS.has(method)) return;
  reply.header('access-control-allow-origin', '*').header('access-control-expose-headers', 'Retry-After, X-Request-Id');
}

/** Answers the preflight of each of these routes; `url` is as the router has it. */
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
        .header('access-control-max-age', String(KEPT_SECONDS))
        .send();
    });
  }
}
