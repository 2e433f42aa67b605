// Performs operations for pages within the process: the same checks and the same functions as over HTTP, without a request.
import type { InputOf, Operation, OutputOf } from '@chauffeur/contract/operation';
import type { Caller, Context } from '../../context.ts';
import type { Route } from '../../request/route.ts';

/** Performs an operation that only reads. Throws what the operation would respond with. */
export type Ask = <Op extends Operation>(operation: Op, caller: Caller, input: InputOf<Op>) => Promise<OutputOf<Op>>;

export function askOf(ctx: Context, routes: readonly Route[]): Ask {
  const performers = new Map(routes.map(({ operation, perform }) => [operation.id, perform]));
  return async (operation, caller, input) => {
    const perform = performers.get(operation.id);
    if (perform === undefined) throw new Error(`${operation.id} can't be performed without a request`);
    const { properties = {} } = (operation.params ?? {}) as { properties?: object };
    const isParam = ([name]: [string, unknown]) => name in properties;
    const fields = Object.entries(input as object);
    const params = Object.fromEntries(fields.filter(isParam));
    const query = Object.fromEntries(fields.filter((field) => !isParam(field)));
    const { data } = await perform(ctx, caller, { params, query, body: {} });
    return data as OutputOf<typeof operation>;
  };
}
