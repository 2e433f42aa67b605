// Keeps one value for each service that runs in this process, such as a feature's queue of writes.
import type { Context } from '../context.ts';

/**
 * Returns a function that creates the context's value with `make` on first use and returns the same value after that.
 */
export function perContext<Value>(make: (ctx: Context) => Value): (ctx: Context) => Value {
  const values = new WeakMap<Context, Value>();
  return (ctx) => {
    let value = values.get(ctx);
    if (value === undefined) {
      value = make(ctx);
      values.set(ctx, value);
    }
    return value;
  };
}
