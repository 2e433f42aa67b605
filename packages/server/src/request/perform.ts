// Performs an operation for a caller, over HTTP or MCP: checks the input against the schemas and calls the feature's
// handler.
import { ApiError, CODES, type ErrorCode } from '@chauffeur/contract/errors';
import { auditOf, type InputOf, type Operation, type OutputOf } from '@chauffeur/contract/operation';
import { findProblem } from '@chauffeur/contract/validate';
import type { Caller, Context } from '../context.ts';
import { Answer } from './answer.ts';
import { recordOperation } from './audit.ts';
import { type Call, callerOf } from './call.ts';
import { gameOf, topicOfOperation } from './change-topics.ts';
import { noteChange } from './game-changes.ts';
import { countWriteOf } from './read-replica.ts';

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
  const game = caller.kind === 'game' ? caller.gameId : gameOf(input);
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
