// Lets code that surrounds a piece of work write to each of its transactions just before the commit, so that a record of
// the work is kept exactly if the work is.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Transaction } from 'kysely';

/** Called in a transaction before its commit. The returned function is called after the commit. */
export type CommitHook = (tx: Transaction<Record<never, never>>) => Promise<() => void>;

const hooks = new AsyncLocalStorage<CommitHook>();

/** Calls `hook` for every transaction that `work` begins. */
export function withCommitHook<T>(hook: CommitHook, work: () => T): T {
  return hooks.run(hook, work);
}

export function currentCommitHook(): CommitHook | undefined {
  return hooks.getStore();
}
