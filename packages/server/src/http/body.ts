// Reads JSON and form bodies: strict about UTF-8, bounded in size and time, decoded where they come compressed.
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { UnreadableBodyError } from '../kernel/body.ts';
import { addBytesParser, bodyDeadlineMs } from '../kernel/bytes-parser.ts';
import { isFormType } from '../kernel/form.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * JSON bodies become values. Every other content type is left unread on the request, for the routes that stream it or know better what
 * it is; a route that wanted JSON then finds none.
 */
export function addBodyParsers(app: FastifyInstance, { config }: Context): void {
  app.removeAllContentTypeParsers();
  addBytesParser(app, 'application/json', bodyDeadlineMs(config), parseJson);
  app.addContentTypeParser('*', async () => undefined);
}

/** Has urlencoded bodies become values as well. Not everywhere: it is what `curl -d` calls every body that is not said to be something else. */
export function addFormParser(app: FastifyInstance, { config }: Context): void {
  addBytesParser(app, 'application/x-www-form-urlencoded', bodyDeadlineMs(config), (body) => parseForm(decode(body)));
}

/**
 * Leaves bodies of every content type on the request: for routes that take bytes, whatever a client calls them. A type that is none, such
 * as `Content-Type: dump`, would be refused before a parser is looked for, so all but forms are called what they are taken as.
 */
export function leaveBodiesUnread(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }) => {
    const type = raw.headers['content-type'];
    if (type !== undefined && !isFormType(type)) raw.headers['content-type'] = 'application/octet-stream';
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async () => undefined);
}

function decode(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch (cause) {
    throw new UnreadableBodyError('body: not well-formed UTF-8; encode it as UTF-8.', { cause });
  }
}

function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(decode(body));
  } catch (cause) {
    if (cause instanceof UnreadableBodyError) throw cause;
    throw new UnreadableBodyError('body: not well-formed JSON; check quotes, commas and brackets.', { cause });
  }
}

/** A field that comes twice is refused: which one was meant cannot be known. */
function parseForm(text: string): Record<string, string> {
  const fields = new URLSearchParams(text);
  const form: Record<string, string> = {};
  for (const [name, value] of fields) {
    if (Object.hasOwn(form, name))
      throw new UnreadableBodyError('body: a field of the form comes twice; send each once.');
    Object.defineProperty(form, name, { value, enumerable: true });
  }
  return form;
}
