// Has Fastify collect small bodies by our own rules: bounded in size and time, decoded where they come compressed.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectBody } from './collect-body.ts';

/** How long a whole body may take to arrive where it is not streamed. */
export function bodyDeadlineMs({ uploadIdleSeconds }: { uploadIdleSeconds: number }): number {
  return uploadIdleSeconds * 1000;
}

/** Has bodies of a content type collected, up to the limit of their route, and made into a value by `parse`, which may throw. */
export function addBytesParser(
  app: FastifyInstance,
  contentType: string,
  deadlineMs: number,
  parse: (body: Buffer) => unknown,
): void {
  app.addContentTypeParser(contentType, (request, _payload, done) => {
    const { bodyLimit: maxBytes } = (request as FastifyRequest).routeOptions;
    collectBody(request.raw, { maxBytes, deadlineMs }, (error, bytes) => {
      if (error !== null) return done(error);
      try {
        done(null, parse(bytes as Buffer));
      } catch (thrown) {
        done(thrown as Error);
      }
    });
  });
}
