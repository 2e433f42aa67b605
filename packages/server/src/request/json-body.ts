// Reads JSON from a request to a public route, whatever its Content-Type: pages send it as text/plain to avoid a
// preflight, and a beacon cannot set the type at all.
import { ApiError } from '@chauffeur/contract/errors';
import { MIB } from '@chauffeur/contract/limits';
import type { FastifyRequest } from 'fastify';
import { BodyTooLargeError } from './body.ts';
import { collectBody } from './collect-body.ts';

/** `maxBytes` limits the decoded body; 1 MiB by default. */
type JsonBodyOptions = { deadlineMs: number; maxBytes?: number };

/** Returns the parsed body, or a promise of it; undefined without a body. Throws 4001. */
export function readJsonBody(request: FastifyRequest, options: JsonBodyOptions): unknown {
  const isRead = request.body !== undefined || request.raw.readableEnded;
  return isRead ? request.body : parseBody(request, options);
}

async function parseBody(request: FastifyRequest, { deadlineMs, maxBytes = MIB }: JsonBodyOptions): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  collectBody(request.raw, { maxBytes, deadlineMs }, (error, bytes) =>
    error === null ? resolve(bytes as Buffer) : reject(error),
  );
  try {
    const text = (await promise).toString();
    return text === '' ? undefined : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new ApiError(4001, 'body: not well-formed JSON. Check quotes, commas and brackets.', { cause: error });
    if (error instanceof BodyTooLargeError)
      throw new ApiError(4001, `body: larger than ${maxBytes / MIB} MiB. Make it smaller.`);
    throw error;
  }
}
