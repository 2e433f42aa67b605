// The names of reports from Sentry's SDKs: the same event is one report, whichever build it is from.
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { type Db, rows } from '../../../kernel/database/db.ts';
import type { Idempotency } from '../../crashes/receive/create.ts';
import { NO_BUILD } from '../../crashes/receive/reports.sql.ts';

/** An id of an event is known to others, so its hash is never that of a client's own id, which opens a report. */
export function nameOfEvent(eventId: string): Idempotency {
  return { keyHash: hash('sha256', `sentry event ${eventId}`), requestHash: SAME_REQUEST };
}

/** Two requests with one event may differ, as in the time when they were sent. */
const SAME_REQUEST = hash('sha256', 'sentry event');

/** The reports of these events, by the ids of the events. */
export async function findReportsOfEvents(
  db: Db,
  gameId: string,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const eventOf = new Map(eventIds.map((eventId) => [nameOfEvent(eventId).keyHash, eventId]));
  const found = await rows(
    db,
    sql<{ hash: string; report_id: string }>`select encode(hash, 'hex') as hash, report_id
      from crash_report_names join crash_reports using (game_id, report_id)
      where game_id = ${gameId} and crash_report_names.build_id = ${NO_BUILD}
        and hash = any(array(select decode(name, 'hex') from unnest(${[...eventOf.keys()]}::text[]) as named (name)))`,
  );
  return new Map(found.map((name) => [eventOf.get(name.hash)!, name.report_id]));
}
