// The locks on where the groups of a game are: which are merged into which.
import { sql } from 'kysely';
import { rows, type Tx } from '../../../kernel/database/db.ts';

/**
 * Waits until no other transaction changes where groups of the game are, and keeps others waiting: each locks many
 * groups, and would otherwise do so in another order.
 */
export async function lockPlaces(tx: Tx, gameId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(${keyOf(gameId)})`);
}

/**
 * Groups of the game stay where they are until the transaction ends. For transactions that create a group in the place
 * of another one, any number of which may run at once. To avoid deadlocks, they call it before they lock a group.
 */
export async function holdPlaces(tx: Tx, gameId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock_shared(${keyOf(gameId)})`);
}

function keyOf(gameId: string) {
  return sql`hashtextextended(${`crash_groups/${gameId}`}, 0)`;
}
