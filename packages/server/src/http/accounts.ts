// Hands the requests below /api/auth to better-auth.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { type Auth, CLIENT_ADDRESS_HEADER } from '../features/accounts/accounts.ts';

export function mountAccounts(app: FastifyInstance, ctx: Context, auth: Auth): void {
  app.route({
    method: ['GET', 'POST'],
    url: '/api/auth/*',
    config: { operation: 'accounts' },
    handler: (request, reply) => {
      const body = request.body === undefined ? {} : { body: JSON.stringify(request.body) };
      return handOver(ctx, auth, request, reply, { url: request.url, ...body });
    },
  });
}

type Handed = {
  readonly url: string;
  readonly body?: string;
  /** What becomes of the address that it redirects to. */
  readonly relocate?: (location: string) => string;
};

/** Has better-auth answer a request, at `url` and with `body` in place of its own. */
export async function handOver(
  ctx: Context,
  auth: Auth,
  request: FastifyRequest,
  reply: FastifyReply,
  { url, body, relocate = (location) => location }: Handed,
): Promise<FastifyReply> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string' && name !== 'content-length') headers.set(name, value);
  }
  headers.set(CLIENT_ADDRESS_HEADER, request.ip);
  const response = await auth.handler(
    new Request(new URL(url, ctx.publicUrl), {
      method: request.method,
      headers,
      ...(body !== undefined && { body }),
    }),
  );
  reply.code(response.status);
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie') reply.header(name, name === 'location' ? relocate(value) : value);
  }
  const retryAfter = response.headers.get('x-retry-after');
  if (retryAfter !== null) reply.header('retry-after', retryAfter);
  // Each cookie needs a header of its own (RFC 6265, section 3).
  for (const cookie of response.headers.getSetCookie()) reply.header('set-cookie', cookie);
  return reply.send(Buffer.from(await response.arrayBuffer()));
}
