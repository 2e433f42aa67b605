// Lets an operation read from the replica of the database, and counts the writes that its reads must return.
import type { Operation } from '@chauffeur/contract/operation';
import type { Caller, Context } from '../context.ts';

/** The part of the context that a read has: nothing that decides or writes. */
export type Reader = Pick<Context, 'db' | 'clock' | 'publicUrl'>;

/**
 * Runs `work`, which only reads, with a replica of the database if there is one: its data may be older by the bound that
 * is set, but has everything that the caller, or a deploy key of the game, has written. `work` may run twice, and must
 * use the `db` of its parameter. What decides, such as permissions, belongs in front of it.
 */
export function onReplica<T>(
  ctx: Context,
  { caller, gameId }: { caller: Caller; gameId?: string },
  work: (reader: Reader) => Promise<T>,
): Promise<T> {
  const { replica, clock, publicUrl } = ctx;
  if (replica === undefined) return work(ctx);
  return replica.read({ userId: userOf(caller), gameId }, (db) => work({ db, clock, publicUrl }));
}

/** Counts a successful call of an operation that isn't a read. Its response must follow, not precede. */
export async function countWriteOf({ replica }: Context, operation: Operation, caller: Caller): Promise<void> {
  if (replica === undefined || operation.method === 'GET' || caller.kind === 'anonymous') return;
  await replica.countWrite({ userId: userOf(caller), gameId: caller.kind === 'game' ? caller.gameId : undefined });
}

/** Counts a change of an account by a route that isn't an operation. */
export async function countWriteOfAccount({ replica }: Context, userId: string): Promise<void> {
  await replica?.countWrite({ userId });
}

function userOf(caller: Caller): string | undefined {
  return caller.kind === 'anonymous' ? undefined : caller.user?.id;
}
