// What a feature's handler receives: the caller and the checked input of one call.
import type { AddressOf, InputOf, Operation } from '@chauffeur/contract/operation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccountCaller, Caller, GameCaller } from '../context.ts';

/** The caller that the access of the operation lets through. */
export type CallerOf<Op extends Operation> = Op['access'] extends 'deploy_key'
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
