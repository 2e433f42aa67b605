// Binds a feature's handlers to the operations of the contract, and reads the input of a call from an HTTP request.
import { ApiError } from '@chauffeur/contract/errors';
import { type AddressOf, auditOf, type Operation, type OutputOf } from '@chauffeur/contract/operation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { Caller, Context } from '../context.ts';
import { fromRequest, recordOperation } from './audit.ts';
import {
  Answer,
  callerOf,
  checkAddress,
  type Handler,
  invalidCode,
  noteOperation,
  type Perform,
  performer,
  type StreamCall,
} from './perform.ts';
import { countWriteOf } from './read-replica.ts';

/**
 * A feature's function for an operation that reads its body as a stream, or sends its response through `reply`, which
 * it then returns.
 */
export type StreamHandler<Op extends Operation> = (
  ctx: Context,
  call: StreamCall<Op>,
) => Promise<Answer<OutputOf<Op>> | FastifyReply>;

/** An operation with the handler that serves it. */
export type Route = {
  readonly operation: Operation;
  readonly run: (
    ctx: Context,
    caller: Caller,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => Promise<Answer<unknown> | FastifyReply>;
  /** The same without an HTTP request; absent if the operation streams. */
  readonly perform?: Perform;
  /** Returns the parameters of path and query. Throws the operation's code for malformed ones. */
  readonly address: (request: FastifyRequest) => object;
  /** Counts a request before its body is read, and throws if it is one too many. */
  readonly limit?: Limit | undefined;
  /** The path, if it is not the operation's path below `/api/v1`. */
  readonly url?: string;
};

type Limit = (ctx: Context, request: FastifyRequest) => void | Promise<void>;

/** Binds a handler to its operation. `limit` counts each request over HTTP. */
export function handle<Op extends Operation>(operation: Op, handler: Handler<Op>, limit?: Limit): Route {
  const perform = performer(operation, handler);
  const isRead = operation.method === 'GET';
  return {
    operation,
    perform,
    limit,
    address: (request) => checkAddress(operation, addressOf(operation, request)),
    run: async (ctx, caller, request) => {
      const work = () => perform(ctx, caller, { ...addressOf(operation, request), body: bodyOf(operation, request) });
      return isRead ? work() : fromRequest(request, work);
    },
  };
}

/** Binds a streaming handler to its operation. `url` is a path outside of `/api/v1`. */
export function stream<Op extends Operation>(operation: Op, handler: StreamHandler<Op>, url?: string): Route {
  const isAudited = auditOf(operation) !== false;
  const address = (request: FastifyRequest) => checkAddress(operation, addressOf(operation, request));
  return {
    operation,
    address,
    ...(url !== undefined && { url }),
    run: async (ctx, caller, request, reply) => {
      const input = address(request) as AddressOf<Op>;
      const work = () => handler(ctx, { caller: callerOf(operation, caller), input, request, reply });
      const result = await (isAudited
        ? fromRequest(request, () => recordOperation(ctx, { operation, caller, input: input as object }, work))
        : work());
      if (result instanceof Answer) noteOperation(ctx, operation, caller, input);
      if (ctx.replica !== undefined && result instanceof Answer) await countWriteOf(ctx, operation, caller);
      return result;
    },
  };
}

const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** Reads path and query, not yet checked. */
function addressOf({ query }: Operation, request: FastifyRequest) {
  return { params: request.params, query: query && readStrings(query, request.query as Strings) };
}

function bodyOf(operation: Operation, request: FastifyRequest): unknown {
  return operation.body && readBody(operation, operation.body, request);
}

type Strings = Readonly<Record<string, unknown>>;
const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;

/**
 * Queries and forms hold strings only: converts the fields that the schema declares as numbers, if they look like one.
 */
function readStrings(schema: TSchema, texts: Strings): object {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  const read = (name: string, value: unknown) => {
    const isNumber = ['integer', 'number'].includes(properties[name]?.type ?? '');
    return isNumber && typeof value === 'string' && NUMBER.test(value) ? Number(value) : value;
  };
  return Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, read(name, value)]));
}

function readBody(operation: Operation, schema: TSchema, request: FastifyRequest): unknown {
  if (operation.bodyKind === 'urlencoded') return readStrings(schema, (request.body ?? {}) as Strings);
  if (hasBody(request) && !JSON_TYPE.test(request.headers['content-type'] ?? '')) {
    throw new ApiError(
      invalidCode(operation),
      'Content-Type: this route takes application/json. Send the body as JSON.',
    );
  }
  return request.body ?? {};
}

/** A request without a body needs no content type; the schema then reports what is missing. */
function hasBody(request: FastifyRequest): boolean {
  return request.headers['transfer-encoding'] !== undefined || (request.headers['content-length'] ?? '0') !== '0';
}
