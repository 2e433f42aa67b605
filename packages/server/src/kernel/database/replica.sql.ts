// The SQL of read replicas: beats, which prove how recent the data of a replica is, and counts of writes.
import { sql } from 'kysely';
import { changed, type Db, isMissingReference, onlyRow, rows, transact } from './db.ts';

/** An account or a game, whose writes are counted. */
export type Writer = { readonly userId?: string | undefined; readonly gameId?: string | undefined };

/** Numbers of writes; 0 if there were none. */
export type Writes = { account: number; game: number };

/** Statements on a replica end after this time. */
export const MAX_STATEMENT_MS = 10_000;

/** Adds a beat of the process. It doesn't wait for a synchronous standby, and is on the disk of the primary. */
export async function writeBeat(db: Db, processNo: number, beat: number): Promise<void> {
  await transact(db, async (tx) => {
    await rows(tx, sql`select set_config('synchronous_commit', 'local', true)`);
    await changed(
      tx,
      sql`insert into replica_beats (process_no, beat) values (${processNo}, ${beat})
        on conflict (process_no) do update set beat = excluded.beat`,
    );
  });
}

const writesOf = ({ userId, gameId }: Writer) => sql`
  coalesce((select writes from account_writes where user_id = ${userId ?? null}), 0)::bigint as account,
  coalesce((select writes from game_writes where game_id = ${gameId ?? null}::uuid), 0)::bigint as game`;

/**
 * Reads the writes from the primary. `counted` is false while a process that doesn't count writes serves requests: one
 * of an earlier version, or without a replica in its settings. Such a process has no beat.
 */
export function readWrites(db: Db, writer: Writer): Promise<Writes & { counted: boolean }> {
  return onlyRow(
    db,
    sql<Writes & { counted: boolean }>`select ${writesOf(writer)}, not exists (
        select from processes where role in ('start', 'api')
          and not exists (select from replica_beats where replica_beats.process_no = processes.process_no)) as counted`,
  );
}

/** What a replica has. `beat` is null without one of this process. */
export type ReplicaRow = Writes & { isStandby: boolean; beat: number | null };

/** Reads what the replica has, and limits the statements that follow on the connection. */
export function readReplica(db: Db, processNo: number, writer: Writer): Promise<ReplicaRow> {
  return onlyRow(
    db,
    sql<ReplicaRow>`select pg_is_in_recovery() as "isStandby", ${writesOf(writer)},
        (select beat from replica_beats where process_no = ${processNo}) as beat,
        set_config('statement_timeout', ${String(MAX_STATEMENT_MS)}, false),
        set_config('default_transaction_read_only', 'on', false)`,
  );
}

/** Counts a write that was committed before. An account or a game that was deleted meanwhile needs no count. */
export async function countWrite(db: Db, { userId, gameId }: Writer): Promise<void> {
  const counts = [
    userId === undefined
      ? undefined
      : sql`insert into account_writes (user_id, writes) values (${userId}, 1)
          on conflict (user_id) do update set writes = account_writes.writes + 1`,
    gameId === undefined
      ? undefined
      : sql`insert into game_writes (game_id, writes) values (${gameId}, 1)
          on conflict (game_id) do update set writes = game_writes.writes + 1`,
  ];
  for (const count of counts) {
    if (count === undefined) continue;
    await rows(db, count).catch((error) => {
      if (!isMissingReference(error)) throw error;
    });
  }
}
