// Performs an operation for a caller: checks what was sent against its schemas and calls the feature. HTTP and MCP both come here.
import { ApiError, type ErrorCode } from '@chauffeur/contract/errors';
import type { Access, InputOf, Operation, OutputOf } from '@chauffeur/contract/operation';
import { findProblem } from '@chauffeur/contract/validate';
import type { AccountCaller, Caller, Context, GameCaller } from '../context.ts';
import { Answer } from './answer.ts';

type CallerOf<A extends Access> = A extends 'deploy_key' ? GameCaller : A extends 'public' ? Caller : AccountCaller;

/** A feature's function for an operation that speaks JSON. */
export type Handler<Op extends Operation, A extends Access = Op['access']> = (
  ctx: Context,
  caller: CallerOf<A>,
  input: InputOf<Op>,
) => Promise<OutputOf<Op> | Answer<OutputOf<Op>>>;

/** What was sent, each part as the schema of the same name wants it. */
export type Parts = { readonly params: unknown; readonly query: unknown; readonly body: unknown };

/** Performs one operation. Throws the operation’s code for malformed requests, and what the feature throws. */
export type Perform = (ctx: Context, caller: Caller, parts: Parts) => Promise<Answer<unknown>>;

/** An operation that can be performed without a request and its reply. */
export type Performable = { readonly operation: Operation; readonly perform: Perform };

/** `handler` behind the checks of its operation. */
export function performer<Op extends Operation>(operation: Op, handler: Handler<Op>): Perform {
  return async (ctx, caller, parts) => {
    const result = await handler(ctx, caller as CallerOf<Op['access']>, checkParts(operation, parts) as InputOf<Op>);
    return result instanceof Answer ? result : new Answer(operation.statuses[0], result);
  };
}

/** The code that a malformed request for the operation answers. */
export function invalidCode(operation: Operation): ErrorCode {
  return operation.invalid ?? 4002;
}

/** The input of the operation, all parts side by side. Throws the operation’s code for malformed requests. */
export function checkParts(operation: Operation, parts: Parts): object {
  const hasAddress = operation.params !== undefined || operation.query !== undefined;
  // What comes most often, events and crash reports, is nothing but a body.
  if (!hasAddress) return checkPart(operation, 'body', parts.body);
  return { ...checkPart(operation, 'body', parts.body), ...checkAddress(operation, parts) };
}

/** The parameters of path and query. */
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
