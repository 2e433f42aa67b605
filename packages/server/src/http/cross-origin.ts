// Lets pages of any origin call the operations that are for games: web builds of a game live on other sites (Fetch Standard, CORS).
import type { Operation } from '@chauffeur/contract/operation';
import type { FastifyInstance, FastifyReply } from 'fastify';

const REQUEST_HEADERS = 'Content-Type, Content-Encoding, X-App-Id, X-Build-Id, X-Read-Token';
/** How long a browser may keep the answer to its question. */
const KEPT_SECONDS = 86_400;

/** Marks an answer as one that any page may read. Cookies stay out of it: `*` goes with none. */
export function allowAnyOrigin(reply: FastifyReply): void {
  reply.header('access-control-allow-origin', '*').header('access-control-expose-headers', 'Retry-After, X-Request-Id');
}

/** Answers the preflight of each path that has a `crossOrigin` operation. */
export function mountPreflights(app: FastifyInstance, operations: readonly Operation[]): void {
  const byPath = Map.groupBy(
    operations.filter(({ crossOrigin }) => crossOrigin),
    ({ path }) => path.replace(/\{\w+\}/g, ':id'),
  );
  for (const [path, found] of byPath) {
    const methods = found.map(({ method }) => method).join(', ');
    app.options(`/api/v1${path}`, async (_request, reply) => {
      allowAnyOrigin(reply);
      return reply
        .code(204)
        .header('access-control-allow-methods', methods)
        .header('access-control-allow-headers', REQUEST_HEADERS)
        .header('access-control-max-age', String(KEPT_SECONDS))
        .send();
    });
  }
}
