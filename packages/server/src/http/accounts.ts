// Hands the requests below /api/auth to better-auth.
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { type Auth, CLIENT_ADDRESS_HEADER } from '../features/accounts/accounts.ts';

export function mountAccounts(app: FastifyInstance, ctx: Context, auth: Auth): void {
  app.route({
    method: ['GET', 'POST'],
    url: '/api/auth/*',
    config: { operation: 'accounts' },
    async handler(request, reply) {
      const headers = new Headers();
      for (const [name, value] of Object.entries(request.headers)) {
        if (typeof value === 'string') headers.set(name, value);
      }
      headers.set(CLIENT_ADDRESS_HEADER, request.ip);
      const body = request.body === undefined ? {} : { body: JSON.stringify(request.body) };
      const response = await auth.handler(
        new Request(new URL(request.url, ctx.publicUrl), { method: request.method, headers, ...body }),
      );
      reply.code(response.status);
      for (const [name, value] of response.headers) {
        if (name !== 'set-cookie') reply.header(name, value);
      }
      const retryAfter = response.headers.get('x-retry-after');
      if (retryAfter !== null) reply.header('retry-after', retryAfter);
      // Each cookie needs a header of its own (RFC 6265, section 3).
      for (const cookie of response.headers.getSetCookie()) reply.header('set-cookie', cookie);
      return reply.send(Buffer.from(await response.arrayBuffer()));
    },
  });
}
