// Keeps what a feature has once for each running service in one process, such as its queue of writes.
import type { Context } from '../context.ts';

/** A function that answers what `make` made for the context, which is made when it is first asked for. */
export function perContext<T>(make: (ctx: Context) => T): (ctx: Context) => T {
  const made = new WeakMap<Context, T>();
  return (ctx) => {
    let found = made.get(ctx);
    if (found === undefined) {
      found = make(ctx);
      made.set(ctx, found);
    }
    return found;
  };
}
