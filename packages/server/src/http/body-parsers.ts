// Parses JSON and form bodies: strict about UTF-8, bounded in size, values and time, and decoded if compressed.
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { UnreadableBodyError } from '../request/body.ts';
import { addBytesParser, bodyDeadlineMs } from '../request/collect-body.ts';
import { isFormType } from '../request/form.ts';
import { decodeUtf8, parseJson } from '../request/json.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The number of values that a JSON body may have; by default, as many as its size allows. */
    maxValues?: number;
  }
}

/**
 * Parses JSON bodies. Bodies of any other type remain unread on the request, for routes that stream them; a route that
 * expects JSON then finds no body.
 */
export function addBodyParsers(app: FastifyInstance, { config }: Context): void {
  app.removeAllContentTypeParsers();
  addBytesParser(app, 'application/json', bodyDeadlineMs(config), (body, { config: { maxValues } }) =>
    parseJson(body, maxValues),
  );
  app.addContentTypeParser('*', async () => undefined);
}

/**
 * Also parses urlencoded bodies. Only where it is wanted: `curl -d` uses this type for every body without another one.
 */
export function addFormParser(app: FastifyInstance, { config }: Context): void {
  addBytesParser(app, 'application/x-www-form-urlencoded', bodyDeadlineMs(config), (body) =>
    parseForm(decodeUtf8(body)),
  );
}

/**
 * Leaves bodies of every content type on the request, for routes that accept bytes of any type. A malformed type, such
 * as `Content-Type: dump`, would be rejected before a parser is chosen, so every type except forms is replaced.
 */
export function leaveBodiesUnread(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }) => {
    const type = raw.headers['content-type'];
    if (type !== undefined && !isFormType(type)) raw.headers['content-type'] = 'application/octet-stream';
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async () => undefined);
}

/** Far more than any form has. */
const MAX_FIELDS = 100;

/** Rejects a repeated field, because it is unclear which value was meant. */
function parseForm(text: string): Record<string, string> {
  if (text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS)
    throw new UnreadableBodyError(`body: more than ${MAX_FIELDS} fields. Send fewer.`);
  const fields = new URLSearchParams(text);
  const form: Record<string, string> = {};
  for (const [name, value] of fields) {
    if (Object.hasOwn(form, name))
      throw new UnreadableBodyError('body: a field of the form was sent twice. Send each field once.');
    Object.defineProperty(form, name, { value, enumerable: true });
  }
  return form;
}
