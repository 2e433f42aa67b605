// Mounts routes on Fastify: identifies the caller, runs the handler and wraps its result in the envelope.
import { successOf } from '@chauffeur/contract/envelope';
import { ApiError } from '@chauffeur/contract/errors';
import { isLimitedRead } from '@chauffeur/contract/operation';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Caller, Context } from '../context.ts';
import type { Auth } from '../features/accounts/accounts.ts';
import { countPublicRead } from '../request/address-limit.ts';
import { Answer } from '../request/answer.ts';
import { invalidCode } from '../request/perform.ts';
import type { Route } from '../request/route.ts';
import { identify } from './auth.ts';
import { addFormParser, leaveBodiesUnread } from './body.ts';
import { checkCliVersion } from './cli-version.ts';
import { compressAnswer, isCompressible } from './compress-answer.ts';
import { allowAnyOrigin, mountPreflights } from './cross-origin.ts';
import { sendError } from './errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The id of the operation, for logs and metrics. */
    operation?: string;
  }
  interface FastifyRequest {
    caller: Caller;
  }
}

/** Mounts every route below `/api/v1`, except those with a URL of their own. */
export function mountOperations(app: FastifyInstance, ctx: Context, auth: Auth, routes: readonly Route[]): void {
  const {
    bytes = [],
    urlencoded = [],
    others = [],
  } = Object.groupBy(routes, ({ operation: { bodyKind } }) =>
    bodyKind === 'bytes' || bodyKind === 'urlencoded' ? bodyKind : 'others',
  );
  const crossOrigin = routes.filter(({ operation }) => operation.crossOrigin);
  mountPreflights(
    app,
    crossOrigin.map((route) => ({ method: route.operation.method, url: urlOf(route) })),
  );
  mountRoutes(app, ctx, auth, others);
  app.register(async (scope) => {
    leaveBodiesUnread(scope);
    mountRoutes(scope, ctx, auth, bytes);
  });
  app.register(async (scope) => {
    addFormParser(scope, ctx);
    mountRoutes(scope, ctx, auth, urlencoded);
  });
}

function mountRoutes(app: FastifyInstance, ctx: Context, auth: Auth, routes: readonly Route[]): void {
  for (const route of routes) {
    const { operation, run } = route;
    const isLimited = isLimitedRead(operation);
    app.route({
      method: operation.method === 'GET' ? ['GET', 'HEAD'] : operation.method,
      // Fastify's own HEAD route would read a whole blob to find its length.
      exposeHeadRoute: false,
      url: urlOf(route),
      config: { operation: operation.id, ...(operation.secret && { secret: true }) },
      ...(operation.bodyLimit !== undefined && { bodyLimit: operation.bodyLimit }),
      // Before the body is read: a caller without access need not send it.
      onRequest: (request, reply, done) => {
        if (operation.crossOrigin) allowAnyOrigin(request, reply);
        if (isLimited) countPublicRead(ctx, request);
        if (operation.access === 'deploy_key') checkCliVersion(ctx, request, reply);
        const take = (caller: Caller) => {
          request.caller = caller;
          done();
        };
        const caller = identify(ctx, auth, operation, request);
        if (caller instanceof Promise) caller.then(take, done);
        else take(caller);
      },
      ...(isCompressible(operation) && { onSend: compressAnswer }),
      errorHandler: (error, request, reply) => {
        if (operation.access === 'deploy_key') challenge(error, reply);
        sendError(ctx, request, reply, error, invalidCode(operation));
      },
      handler: async (request, reply) => {
        const result = await run(ctx, request.caller, request, reply);
        if (!(result instanceof Answer)) return result;
        reply.code(result.status);
        // Returned instead of sent: the reply is a thenable, for which Fastify would wait.
        return successOf(result.data);
      },
    });
  }
}

/** The path in the router's notation, `:name` for parameters. */
function urlOf({ operation, url }: Route): string {
  return url ?? `/api/v1${operation.path.replace(/\{(\w+)\}/g, ':$1')}`;
}

/** Some tools send the user and password of a URL only after a challenge (RFC 9110, section 11.6.1). */
function challenge(error: unknown, reply: FastifyReply): void {
  if (error instanceof ApiError && error.status === 401) reply.header('www-authenticate', 'Basic realm="deploy key"');
}
