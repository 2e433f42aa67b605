// Puts the contract's operations on HTTP: identifies the caller, checks the input, calls the feature, wraps the answer.
import { successOf } from '@chauffeur/contract/envelope';
import { ApiError } from '@chauffeur/contract/errors';
import { isLimitedRead, type Operation } from '@chauffeur/contract/operation';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { Caller, Context } from '../context.ts';
import type { Auth } from '../features/accounts/accounts.ts';
import { countPublicRead } from '../kernel/address-limit.ts';
import { Answer } from '../kernel/answer.ts';
import { checkAddress, type Handler, invalidCode, type Perform, performer } from '../kernel/perform.ts';
import { identify } from './auth.ts';
import { addFormParser, leaveBodiesUnread } from './body.ts';
import { allowAnyOrigin, mountPreflights } from './cross-origin.ts';
import { sendError } from './errors.ts';

/**
 * A feature's function for an operation that streams its body, or its answer to `reply`, which it then returns. `input` has
 * the parameters of path and query, checked.
 */
export type StreamHandler = (
  ctx: Context,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
  input: never,
) => Promise<Answer<unknown> | FastifyReply>;

type Run = (
  ctx: Context,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<Answer<unknown> | FastifyReply>;
export type Mounting = {
  readonly operation: Operation;
  readonly run: Run;
  /** The same without a request; absent where the operation streams. */
  readonly perform?: Perform;
  /** The route’s path where it is not the operation’s below `/api/v1`. */
  readonly url?: string;
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Id of the operation, for logs and metrics. */
    operation?: string;
  }
  interface FastifyRequest {
    caller: Caller;
  }
}

/** Binds a feature function to its operation. */
export function handle<Op extends Operation>(operation: Op, handler: Handler<Op>): Mounting {
  const perform = performer(operation, handler);
  return {
    operation,
    perform,
    run: (ctx, caller, request) =>
      perform(ctx, caller, { ...addressOf(operation, request), body: bodyOf(operation, request) }),
  };
}

/** Binds a feature's streaming function to its operation. */
export function stream(operation: Operation, handler: StreamHandler): Mounting {
  return {
    operation,
    run: (ctx, caller, request, reply) =>
      handler(ctx, caller, request, reply, checkAddress(operation, addressOf(operation, request)) as never),
  };
}

const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** Registers every operation below `/api/v1`. */
export function mountOperations(app: FastifyInstance, ctx: Context, auth: Auth, mountings: readonly Mounting[]): void {
  const {
    bytes = [],
    urlencoded = [],
    others = [],
  } = Object.groupBy(mountings, ({ operation: { bodyKind } }) =>
    bodyKind === 'bytes' || bodyKind === 'urlencoded' ? bodyKind : 'others',
  );
  const crossing = mountings.filter(({ operation }) => operation.crossOrigin);
  mountPreflights(
    app,
    crossing.map((mounting) => ({ method: mounting.operation.method, url: urlOf(mounting) })),
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

function mountRoutes(app: FastifyInstance, ctx: Context, auth: Auth, mountings: readonly Mounting[]): void {
  for (const mounting of mountings) {
    const { operation, run } = mounting;
    const isLimited = isLimitedRead(operation);
    app.route({
      method: operation.method === 'GET' ? ['GET', 'HEAD'] : operation.method,
      // Fastify's own would read a whole blob to learn its length.
      exposeHeadRoute: false,
      url: urlOf(mounting),
      config: { operation: operation.id, ...(operation.secret && { secret: true }) },
      ...(operation.bodyLimit !== undefined && { bodyLimit: operation.bodyLimit }),
      // Before the body is read: who may not call is told so without sending it.
      onRequest: (request, reply, done) => {
        if (operation.crossOrigin) allowAnyOrigin(request, reply);
        if (isLimited) countPublicRead(ctx, request);
        const take = (caller: Caller) => {
          request.caller = caller;
          done();
        };
        const caller = identify(ctx, auth, operation.access, request);
        if (caller instanceof Promise) caller.then(take, done);
        else take(caller);
      },
      errorHandler: (error, request, reply) => {
        if (operation.access === 'deploy_key') challenge(error, reply);
        sendError(ctx, request, reply, error, invalidCode(operation));
      },
      handler: async (request, reply) => {
        const result = await run(ctx, request.caller, request, reply);
        if (!(result instanceof Answer)) return result;
        reply.code(result.status);
        // Not the reply, which is a thenable: Fastify would wait for it in turn.
        return successOf(result.data);
      },
    });
  }
}

/** As the router has it, with `:name` for parameters. */
function urlOf({ operation, url }: Mounting): string {
  return url ?? `/api/v1${operation.path.replace(/\{(\w+)\}/g, ':$1')}`;
}

/** Some tools hold back the user and password of an address until they are asked for them (RFC 9110, section 11.6.1). */
function challenge(error: unknown, reply: FastifyReply): void {
  if (error instanceof ApiError && error.status === 401) reply.header('www-authenticate', 'Basic realm="deploy key"');
}

/** Path and query as they were sent, numbers as such. */
function addressOf({ query }: Operation, request: FastifyRequest) {
  return { params: request.params, query: query && readTexts(query, request.query as Texts) };
}

function bodyOf(operation: Operation, request: FastifyRequest): unknown {
  return operation.body && readBody(operation, operation.body, request);
}

type Texts = Readonly<Record<string, unknown>>;
const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;

/** Queries and forms hold texts only: a field that the schema has as a number becomes one, when it is written as one. */
function readTexts(schema: TSchema, texts: Texts): object {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  const read = (name: string, value: unknown) => {
    const isNumber = ['integer', 'number'].includes(properties[name]?.type ?? '');
    return isNumber && typeof value === 'string' && NUMBER.test(value) ? Number(value) : value;
  };
  return Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, read(name, value)]));
}

function readBody(operation: Operation, schema: TSchema, request: FastifyRequest): unknown {
  if (operation.bodyKind === 'urlencoded') return readTexts(schema, (request.body ?? {}) as Texts);
  if (hasBody(request) && !JSON_TYPE.test(request.headers['content-type'] ?? '')) {
    throw new ApiError(
      invalidCode(operation),
      'Content-Type: this route takes application/json; send the body as JSON.',
    );
  }
  return request.body ?? {};
}

/** Without a body there is nothing to have a content type; then the schema says what is missing. */
function hasBody(request: FastifyRequest): boolean {
  return request.headers['transfer-encoding'] !== undefined || (request.headers['content-length'] ?? '0') !== '0';
}
