// Lets Fastify collect small bodies by our own rules: bounded in size and time, and decoded if compressed.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectBody } from './collect-body.ts';

/** The time, in milliseconds, in which a body that is not streamed must arrive as a whole. */
export function bodyDeadlineMs({ uploadIdleSeconds }: { uploadIdleSeconds: number }): number {
  return uploadIdleSeconds * 1000;
}

/**
 * Collects bodies of a content type, up to the limit of their route, and converts them with `parse`, which may throw.
 */
export function addBytesParser(
  app: FastifyInstance,
  contentType: string,
  deadlineMs: number,
  parse: (body: Buffer, route: FastifyRequest['routeOptions']) => unknown,
): void {
  app.addContentTypeParser(contentType, (request, _payload, done) => {
    const { routeOptions: route } = request as FastifyRequest;
    collectBody(request.raw, { maxBytes: route.bodyLimit, deadlineMs }, (error, bytes) => {
      if (error !== null) return done(error);
      try {
        done(null, parse(bytes as Buffer, route));
      } catch (thrown) {
        done(thrown as Error);
      }
    });
  });
}
