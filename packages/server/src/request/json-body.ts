// Reads JSON from a request to a public route, whatever its Content-Type: pages send it as text/plain to avoid a
// preflight, and a beacon cannot set the type at all.
import { bodyBoundsOf } from '@chauffeur/contract/body-bounds';
import type { Operation } from '@chauffeur/contract/operation';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { bodyDeadlineMs } from './bytes-parser.ts';
import { collectBody } from './collect-body.ts';
import { parseJson } from './parse-json.ts';

/**
 * Returns the parsed body of a streaming operation; undefined without a body. Throws UnreadableBodyError and
 * BodyTooLargeError.
 */
export async function readJsonBody(ctx: Context, operation: Operation, { raw }: FastifyRequest): Promise<unknown> {
  const { bytes: maxBytes, values } = bodyBoundsOf(operation);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  collectBody(raw, { maxBytes, deadlineMs: bodyDeadlineMs(ctx.config) }, (error, bytes) =>
    error === null ? resolve(bytes as Buffer) : reject(error),
  );
  return parseJson(await promise, values);
}
