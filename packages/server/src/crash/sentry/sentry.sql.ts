// The SQL that other features read reports of Sentry's SDKs with.
import { sql } from 'kysely';
import { type Db, rows } from '../../kernel/database/db.ts';
import { NO_BUILD } from '../crashes/receive/reports.sql.ts';
import { nameOfEvent } from './receive/names.ts';

export type EventReport = {
  readonly report_id: string;
  /** That of the unregistered release if no build has it. */
  readonly build_id: string;
  readonly os: string;
  readonly arch: string;
};

/** The reports of these events, by the ids of the events. */
export async function findReportsOfEvents(
  db: Db,
  gameId: string,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, EventReport>> {
  const eventOf = new Map(eventIds.map((eventId) => [nameOfEvent(eventId).keyHash, eventId]));
  const found = await rows(
    db,
    sql<EventReport & { hash: string }>`select encode(hash, 'hex') as hash, report_id, crash_reports.build_id, os, arch
      from crash_report_names join crash_reports using (game_id, report_id)
      where game_id = ${gameId} and crash_report_names.build_id = ${NO_BUILD}
        and hash = any(array(select decode(name, 'hex') from unnest(${[...eventOf.keys()]}::text[]) as named (name)))`,
  );
  return new Map(found.map(({ hash, ...report }) => [eventOf.get(hash)!, report]));
}
