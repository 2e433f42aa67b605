// Performs operations for pages within the process: the same checks and the same functions as over HTTP, without a request.
import type { InputOf, Operation, OutputOf } from '@chauffeur/contract/operation';
import type { Caller, Context } from '../../context.ts';
import type { Route } from '../../request/route.ts';

/** Performs an operation. Throws what it would respond with. Limits by address are counted by requests only. */
export type Ask = <Op extends Operation>(operation: Op, caller: Caller, input: InputOf<Op>) => Promise<OutputOf<Op>>;

export function askOf(ctx: Context, routes: readonly Route[]): Ask {
  const performers = new Map(routes.map(({ operation, perform }) => [operation.id, perform]));
  return async (operation, caller, input) => {
    const perform = performers.get(operation.id);
    if (perform === undefined) throw new Error(`${operation.id} can't be performed without a request`);
    const fields = Object.entries(input as object);
    const fieldsOf = (schema: unknown) => {
      const { properties = {} } = (schema ?? {}) as { properties?: object };
      return Object.fromEntries(fields.filter(([name]) => name in properties));
    };
    const { params, query, body } = operation;
    const { data } = await perform(ctx, caller, {
      params: fieldsOf(params),
      query: fieldsOf(query),
      body: fieldsOf(body),
    });
    return data as OutputOf<typeof operation>;
  };
}
