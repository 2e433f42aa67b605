// The columns of reports that processing and grouping them need.
import { sql } from 'kysely';

/** What grouping a report by its message, and counting it, need. */
export type GroupingRow = {
  report_id: string;
  message: string;
  app_version: string;
  os: string;
  /** Its facets are read, and a stack may be in its values. */
  metadata: Readonly<Record<string, unknown>>;
  /** Null if the report has no log, or it has not arrived. */
  log_key: string | null;
  /** Uncompressed, in bytes. */
  log_size: number | null;
};

/** A row of a query over the reports of all games. */
export type GameGroupingRow = GroupingRow & { game_id: string };

/** What processing the dump of a report needs. */
export type DumpRow = {
  build_id: string;
  dump_key: string;
  dump_size: number;
  /** The blob of the previous walk; null if there was none. */
  stack_key: string | null;
} & GroupingRow;

/** The columns of a GroupingRow. */
export const groupingColumns = sql.raw('report_id, message, app_version, os, metadata, log_key, log_size');

/** The columns of a DumpRow. */
export const dumpColumns = sql`build_id, dump_key, dump_size, stack_key, ${groupingColumns}`;
