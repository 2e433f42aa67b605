// Performs an operation for a caller, over HTTP or MCP: checks the input against the schemas and calls the feature's
// handler. Also defines what a handler receives and returns.
import { ApiError, CODES, type ErrorCode } from '@chauffeur/contract/errors';
import { type AddressOf, auditOf, type InputOf, type Operation, type OutputOf } from '@chauffeur/contract/operation';
import { findProblem } from '@chauffeur/contract/validate';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccountCaller, Caller, Context, GameCaller } from '../context.ts';
import { recordOperation } from './audit.ts';
import { gameOfInput, topicOfOperation } from './change-topics.ts';
import { noteChange } from './game-changes.ts';
import { countWriteOf } from './read-replica.ts';

export class Answer<T> {
  readonly status: number;
  readonly data: T;

  constructor(status: number, data: T) {
    this.status = status;
    this.data = data;
  }
}

export function answer<T>(status: number, data: T): Answer<T> {
  return new Answer(status, data);
}

/** The caller that the access of the operation lets through. */
type CallerOf<Op extends Operation> = Op['access'] extends 'deploy_key'
  ? GameCaller
  : Op['access'] extends 'public'
    ? Caller
    : AccountCaller;

/** The caller with the role that the operation needs, which `requireMember` and its kind check. */
export function callerOf<Op extends Operation>({ role }: Op, caller: Caller): CallerOf<Op> {
  const needing = caller.kind === 'account' && role !== undefined ? { ...caller, neededRole: role } : caller;
  return needing as CallerOf<Op>;
}

/** A call of an operation. `input` has passed the operation's schemas. */
export type Call<Op extends Operation> = {
  readonly caller: CallerOf<Op>;
  /** The parameters of path, query and body. */
  readonly input: InputOf<Op>;
};

/** A call of an operation whose handler reads the body itself or writes the response itself. */
export type StreamCall<Op extends Operation> = {
  readonly caller: CallerOf<Op>;
  /** The parameters of path and query. */
  readonly input: AddressOf<Op>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
};

/** A feature's function for an operation that takes and returns JSON. */
export type Handler<Op extends Operation> = (
  ctx: Context,
  call: Call<Op>,
) => Promise<OutputOf<Op> | Answer<OutputOf<Op>>>;

/** The unchecked input; each part belongs to the schema of the same name. */
export type Parts = { readonly params: unknown; readonly query: unknown; readonly body: unknown };

/** Performs one operation. Throws the operation's code for malformed input, and what the handler throws. */
export type Perform = (ctx: Context, caller: Caller, parts: Parts) => Promise<Answer<unknown>>;

/** An operation that can be performed without an HTTP request. */
export type Performable = { readonly operation: Operation; readonly perform: Perform };

/** Wraps `handler` in the checks of its operation. The caller must have been let through by the operation's access. */
export function performer<Op extends Operation>(operation: Op, handler: Handler<Op>): Perform {
  const isAudited = auditOf(operation) !== false;
  return async (ctx, caller, parts) => {
    const input = checkParts(operation, parts) as InputOf<Op>;
    const work = () => handler(ctx, { caller: callerOf(operation, caller), input });
    const result = await (isAudited
      ? recordOperation(ctx, { operation, caller, input: input as object }, work)
      : work());
    noteOperation(ctx, operation, caller, input);
    if (ctx.replica !== undefined) await countWriteOf(ctx, operation, caller);
    return result instanceof Answer ? result : new Answer(operation.statuses[0], result);
  };
}

/** Open pages show what the operation has changed. */
export function noteOperation(ctx: Context, operation: Operation, caller: Caller, input: unknown): void {
  const topic = topicOfOperation(operation);
  if (topic === null) return;
  const game = caller.kind === 'game' ? caller.gameId : gameOfInput(input);
  if (game !== null) noteChange(ctx, game, topic);
}

/** The error code for a malformed request. */
export function invalidCode(operation: Operation): ErrorCode {
  return CODES[operation.invalid ?? 'invalid'];
}

/** Returns the input as one object. Throws the operation's code for malformed input. */
export function checkParts(operation: Operation, parts: Parts): object {
  const hasAddress = operation.params !== undefined || operation.query !== undefined;
  // Events and crash reports, the most frequent requests, have only a body: this saves them a copy.
  if (!hasAddress) return checkPart(operation, 'body', parts.body);
  return { ...checkPart(operation, 'body', parts.body), ...checkAddress(operation, parts) };
}

/** Returns the parameters of path and query as one object. Throws the operation's code for malformed ones. */
export function checkAddress(operation: Operation, { params, query }: Omit<Parts, 'body'>): object {
  return { ...checkPart(operation, 'query', query), ...checkPart(operation, 'params', params) };
}

function checkPart(operation: Operation, part: keyof Parts, value: unknown): object {
  const schema = operation[part];
  if (schema === undefined) return {};
  const problem = findProblem(schema, value);
  if (problem !== null) throw new ApiError(invalidCode(operation), problem);
  return value as object;
}
