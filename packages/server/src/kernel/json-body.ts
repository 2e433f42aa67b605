// The JSON of a request to a public route, whatever its Content-Type calls it: a page that sends it as text/plain spares itself the
// preflight, and a beacon cannot call it anything else.
import { ApiError } from '@chauffeur/contract/errors';
import { MIB } from '@chauffeur/contract/limits';
import type { FastifyRequest } from 'fastify';
import { BodyTooLargeError, openBody } from './body.ts';

/** To be awaited: the parsed body, at once where it was parsed as it came; undefined when there is none. Throws 4001. */
export function readJsonBody(request: FastifyRequest, { idleMs }: { idleMs: number }): unknown {
  const isRead = request.body !== undefined || request.raw.readableEnded;
  return isRead ? request.body : parseBody(request, idleMs);
}

async function parseBody(request: FastifyRequest, idleMs: number): Promise<unknown> {
  try {
    const text = Buffer.concat(
      await Array.fromAsync(openBody(request.raw, { packing: 'header', most: MIB, idleMs })),
    ).toString();
    return text === '' ? undefined : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new ApiError(4001, 'body: not well-formed JSON; check quotes, commas and brackets.', { cause: error });
    if (error instanceof BodyTooLargeError) throw new ApiError(4001, 'body: larger than 1 MiB; send less.');
    throw error;
  }
}
