// The SQL that reads the events of a session.
import { sql } from 'kysely';
import { type Db, rows, transact } from '../../../kernel/database/db.ts';
import type { Properties } from '../receive/event.ts';

export type SessionRef = { gameId: string; deviceUid: string | null; sessionId: string };

export type SessionEventRow = {
  name: string;
  received_at: Date;
  client_time: Date | null;
  properties: Properties | null;
};

/** Includes its start and excludes its end. */
export type TimeSpan = { from: Date; to: Date };

/**
 * The last events of a session that arrived in this time, newest first. Is cancelled after `maxMs`. The times of events that
 * arrive together differ by microseconds, which a Date does not have.
 */
export function readSessionEvents(
  db: Db,
  { gameId, deviceUid, sessionId }: SessionRef,
  { from, to }: TimeSpan,
  { limit, maxMs }: { limit: number; maxMs: number },
): Promise<SessionEventRow[]> {
  return transact(db, async (tx) => {
    await rows(tx, sql`select set_config('statement_timeout', ${String(maxMs)}, true)`);
    return rows(
      tx,
      sql<SessionEventRow>`select name, received_at, client_time, properties from events
        where game_id = ${gameId} and session_id = ${sessionId} and device_uid is not distinct from ${deviceUid}
          and received_at >= ${from} and received_at < ${to}
        order by coalesce(client_time, received_at) desc, received_at desc limit ${limit}`,
    );
  });
}
