// Reads the header Idempotency-Key (draft-ietf-httpapi-idempotency-key-header), with which a client that got no response
// repeats a request without doing it twice.
import { ApiError, type ErrorCode } from '@chauffeur/contract/errors';
import type { FastifyRequest } from 'fastify';

/** As the draft has it, a string of structured fields (RFC 9651), or without quotation marks, as most clients send it. */
const QUOTED = /^"(?:[ !#-[\]-~]|\\["\\]){1,255}"$/;
const PLAIN = /^[!#-~][!-~]{0,254}$/;

/** The key; null without one. Throws `invalid` for a malformed key. */
export function idempotencyKeyOf({ headers }: FastifyRequest, invalid: ErrorCode): string | null {
  const value = headers['idempotency-key'];
  if (value === undefined) return null;
  const text = String(value).trim();
  if (QUOTED.test(text)) return text.slice(1, -1).replace(/\\(["\\])/g, '$1');
  if (PLAIN.test(text)) return text;
  throw new ApiError(invalid, 'Idempotency-Key: not 1 to 255 printable ASCII characters. Send a new UUID.');
}
