// Reads JSON from requests: strict about UTF-8, and bounded in the number of values, each of which costs as much time
// and memory as a long text.

import { bodyBoundsOf } from '@chauffeur/contract/body-bounds';
import type { Operation } from '@chauffeur/contract/operation';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { UnreadableBodyError } from './body.ts';
import { bodyDeadlineMs, collectBody } from './collect-body.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Returns the value; undefined for an empty body. A byte order mark is ignored. Throws UnreadableBodyError, which
 * becomes the operation's code for a malformed request.
 */
export function parseJson(bytes: Buffer, maxValues = Number.POSITIVE_INFINITY): unknown {
  if (bytes.length === 0) return undefined;
  if (hasMoreValues(bytes, maxValues))
    throw new UnreadableBodyError(`body: more than ${maxValues} values. Send fewer.`);
  const text = decodeUtf8(bytes);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UnreadableBodyError('body: not well-formed JSON. Check quotes, commas and brackets.', { cause });
  }
}

/**
 * Leaves out a byte order mark. Throws UnreadableBodyError, also for UTF-16 and UTF-32, which programs for Windows
 * write. The bytes decide, whatever the charset in the Content-Type.
 */
export function decodeUtf8(bytes: Buffer): string {
  if (isWide(bytes))
    throw new UnreadableBodyError('body: not well-formed UTF-8, because it is UTF-16 or UTF-32. Encode it as UTF-8.');
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new UnreadableBodyError('body: not well-formed UTF-8. Encode it as UTF-8.', { cause });
  }
}

/** Recognizes a byte order mark, or a zero: JSON and forms begin with an ASCII character. */
function isWide([first, second]: Buffer): boolean {
  return first === 0 || second === 0 || (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/**
 * Whether JSON has more values than `max`, roughly: between one less and twice as many are counted, because an object
 * or a list counts by its bracket and by the comma before it. A text that is not JSON gets any answer.
 */
export function hasMoreValues(json: Uint8Array, max: number): boolean {
  // Every value takes at least two bytes, with its comma or brackets.
  if (json.length <= 2 * max) return false;
  let [values, isInText] = [0, false];
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index];
    if (isInText) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) isInText = false;
    } else if (byte === QUOTE) isInText = true;
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) {
      values += 1;
      if (values > max) return true;
    }
  }
  return false;
}

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

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
