// Holds back the deletion of blobs while a backup runs, so that every blob of its snapshot can still be copied.
import { sql } from 'kysely';
import { changed, type Db, onlyRow, rows, transact } from '../database/db.ts';
import { groupCommit } from '../database/group-commit.ts';
import type { BlobStore } from './store.ts';

/** An arbitrary key that no other lock of ours uses. Deletions share the lock, and a backup takes it alone. */
const LOCK = 7_304_511_003;
const BATCH = 100;
/** Deletions in progress end within this time, unless the store hangs. */
const LOCK_WAIT = '60s';

/**
 * The same store, except that `delete` only notes the key while a backup runs. `deleteHeld` deletes it later.
 * Deletions that arrive together share one transaction, so they occupy one connection.
 */
export function holdDeletions(store: BlobStore, db: Db): BlobStore {
  const enqueue = groupCommit<string, undefined>({
    maxBatch: BATCH,
    writers: 1,
    maxWaiting: Number.POSITIVE_INFINITY,
    isItemError: () => false,
    write: (keys) => transact(db, (tx) => deleteOrHold(tx, store, keys)),
  });
  return { ...store, delete: (key) => enqueue(key) };
}

async function deleteOrHold(tx: Db, store: BlobStore, keys: readonly string[]): Promise<(undefined | Error)[]> {
  const { free } = await onlyRow(tx, sql<{ free: boolean }>`select pg_try_advisory_xact_lock_shared(${LOCK}) as free`);
  if (!free) {
    await changed(
      tx,
      sql`insert into held_deletions (blob_key) select distinct unnest(${keys}::text[]) on conflict do nothing`,
    );
    return keys.map(() => undefined);
  }
  const results = await Promise.allSettled(keys.map((key) => store.delete(key)));
  const deleted = keys.filter((_, index) => results[index]?.status === 'fulfilled');
  await changed(tx, sql`delete from held_deletions where blob_key = any(${deleted}::text[])`);
  return results.map((result) => (result.status === 'fulfilled' ? undefined : asError(result.reason)));
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/**
 * Waits for deletions in progress and holds back later ones until the session of `db` ends, even if its process is
 * killed. Returns false if another session holds the lock.
 */
export async function lockDeletions(db: Db): Promise<boolean> {
  await rows(db, sql`select set_config('lock_timeout', ${LOCK_WAIT}, false)`);
  try {
    await rows(db, sql`select pg_advisory_lock(${LOCK})`);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === '55P03') return false;
    throw error;
  } finally {
    await rows(db, sql`select set_config('lock_timeout', '0', false)`);
  }
}

/** Whether any session holds the lock, so a backup is running. */
export async function areDeletionsLocked(db: Db): Promise<boolean> {
  const { locked } = await onlyRow(
    db,
    sql<{ locked: boolean }>`select exists (select from pg_locks
      where locktype = 'advisory' and classid = ${Math.floor(LOCK / 2 ** 32)} and objid = ${LOCK % 2 ** 32} and objsubid = 1
        and mode = 'ExclusiveLock' and granted
        and database = (select oid from pg_database where datname = current_database())) as locked`,
  );
  return locked;
}

/** Ends `lockDeletions`, in the same session. */
export async function unlockDeletions(db: Db): Promise<void> {
  await rows(db, sql`select pg_advisory_unlock(${LOCK})`);
}

/** Deletes the blobs whose deletion was held back. While a backup runs, they stay noted. */
export async function deleteHeld(db: Db, blobs: BlobStore): Promise<void> {
  for (let after = ''; ; ) {
    const page = await rows(
      db,
      sql<{ key: string }>`select blob_key as key from held_deletions where blob_key > ${after}
        order by blob_key limit ${BATCH}`,
    );
    if (page.length === 0) return;
    await Promise.all(page.map(({ key }) => blobs.delete(key)));
    after = page.at(-1)!.key;
  }
}
