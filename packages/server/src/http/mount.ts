// Mounts routes on Fastify: identifies the caller, runs the handler and wraps its result in the envelope.
import { bodyBoundsOf } from '@chauffeur/contract/body-bounds';
import { successOf } from '@chauffeur/contract/envelope';
import { ApiError, errors, isError } from '@chauffeur/contract/errors';
import { isLimitedRead, type Operation } from '@chauffeur/contract/operation';
import { areCompatible, cliVersionOf, VERSION, VERSION_HEADER } from '@chauffeur/contract/version';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccountCaller, Caller, Context } from '../context.ts';
import type { Auth } from '../people/accounts/accounts.ts';
import { requireMember } from '../people/game-access/game-access.ts';
import { requireOrganisation } from '../people/organisations/organisations.ts';
import { countPublicRead } from '../request/address-limit.ts';
import { Answer, callerOf, invalidCode } from '../request/perform.ts';
import type { Route } from '../request/route.ts';
import { addFormParser, leaveBodiesUnread } from './body-parsers.ts';
import { compressAnswer, isCompressible } from './compress-answer.ts';
import { allowAnyOrigin, mountPreflights } from './cross-origin.ts';
import { identify } from './identify.ts';
import { sendError } from './send-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The id of the operation, for logs and metrics. */
    operation?: string;
  }
  interface FastifyRequest {
    caller: Caller;
    /** Identifies the caller again. Throws if they have lost access since the request began. */
    checkAccess: () => Promise<void>;
  }
}

/** Mounts every route below `/api/v1`, except those with their own URL. */
export function mountOperations(app: FastifyInstance, ctx: Context, auth: Auth, routes: readonly Route[]): void {
  const { unread = [], urlencoded = [], others = [] } = Object.groupBy(routes, parserOf);
  const crossOrigin = routes.filter(({ operation }) => operation.crossOrigin);
  mountPreflights(
    app,
    crossOrigin.map((route) => ({ method: route.operation.method, url: urlOf(route) })),
  );
  mountRoutes(app, ctx, auth, others);
  app.register(async (scope) => {
    leaveBodiesUnread(scope);
    mountRoutes(scope, ctx, auth, unread);
  });
  app.register(async (scope) => {
    addFormParser(scope, ctx);
    mountRoutes(scope, ctx, auth, urlencoded);
  });
}

/** A streaming operation that takes JSON reads it itself, from a body of any type. */
function parserOf({ operation: { bodyKind = 'json', body }, perform }: Route): 'unread' | 'urlencoded' | 'others' {
  if (bodyKind === 'urlencoded') return bodyKind;
  const readsJson = bodyKind === 'json' && body !== undefined && perform === undefined;
  return bodyKind === 'bytes' || readsJson ? 'unread' : 'others';
}

function mountRoutes(app: FastifyInstance, ctx: Context, auth: Auth, routes: readonly Route[]): void {
  for (const route of routes) {
    const { operation, run, limit } = route;
    const { bytes: bodyLimit, values: maxValues } = bodyBoundsOf(operation);
    const isLimited = isLimitedRead(operation);
    app.route({
      method: operation.method === 'GET' ? ['GET', 'HEAD'] : operation.method,
      // Fastify's own HEAD route would read a whole blob to find its length.
      exposeHeadRoute: false,
      url: urlOf(route),
      config: { operation: operation.id, ...(operation.secret && { secret: true }), maxValues },
      bodyLimit,
      // This runs before the body is read: a caller without access need not send it, and we need not read it.
      onRequest: [
        (request, reply, done) => {
          if (operation.crossOrigin) allowAnyOrigin(request, reply);
          if (isLimited) countPublicRead(ctx, request);
          if (operation.access === 'deploy_key') checkCliVersion(ctx, request, reply);
          const take = (caller: Caller) => {
            request.caller = caller;
            done();
          };
          request.checkAccess = async () => {
            request.caller = await identify(ctx, auth, operation, request);
            await requireAccess(ctx, route, request);
          };
          const caller = identify(ctx, auth, operation, request);
          if (caller instanceof Promise) caller.then(take, done);
          else take(caller);
        },
        ...(limit === undefined ? [] : [async (request: FastifyRequest) => limit(ctx, request)]),
        ...(isForMembers(operation) ? [async (request: FastifyRequest) => requireAccess(ctx, route, request)] : []),
      ],
      ...(isCompressible(operation) && { onSend: compressAnswer }),
      errorHandler: (error, request, reply) => {
        challenge(operation, error, reply);
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

/** Whether a body is only for members of the game or the organisation in the path. */
function isForMembers({ access, role, body, path }: Operation): boolean {
  return (
    access === 'account' &&
    role !== undefined &&
    body !== undefined &&
    /^\/(games\/\{uid\}|organisations\/\{organisation\})(\/|$)/.test(path)
  );
}

/** The handler checks it again, because it needs the game, and because the role can change while a body arrives. */
async function requireAccess(ctx: Context, { operation, address }: Route, request: FastifyRequest): Promise<void> {
  if (operation.access !== 'account') return;
  const { uid, organisation } = address(request) as { uid?: string; organisation?: string };
  const caller = callerOf(operation, request.caller) as AccountCaller;
  if (uid !== undefined) await requireMember(ctx, caller, uid);
  else if (organisation !== undefined) await requireOrganisation(ctx, caller, organisation);
}

/** The path in the router's notation, `:name` for parameters. */
function urlOf({ operation, url }: Route): string {
  return url ?? `/api/v1${operation.path.replace(/\{(\w+)\}/g, ':$1')}`;
}

/** Some tools send the user and password of a URL only after a challenge (RFC 9110, section 11.6.1). */
function challenge({ access }: Operation, error: unknown, reply: FastifyReply): void {
  if (!(error instanceof ApiError) || error.status !== 401) return;
  // RFC 6750, section 3.1.
  if (isError(error, 'unknownApiToken', 'revokedApiToken', 'expiredApiToken'))
    reply.header('www-authenticate', 'Bearer error="invalid_token"');
  else if (access === 'deploy_key') reply.header('www-authenticate', 'Basic realm="deploy key"');
}

/** Throws `incompatibleCommand` for a command of another major version. Other clients are not affected. */
function checkCliVersion({ publicUrl }: Context, request: FastifyRequest, reply: FastifyReply): void {
  const version = cliVersionOf(request.headers['user-agent']);
  if (version === undefined) return;
  reply.header(VERSION_HEADER, VERSION);
  if (areCompatible(version, VERSION)) return;
  throw errors.incompatibleCommand(
    `This is chauffeur ${version}, and the server is version ${VERSION}. Run chauffeur self-update, or install the version of this server: ${publicUrl}/cli`,
  );
}
