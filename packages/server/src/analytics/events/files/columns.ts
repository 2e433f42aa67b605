// The columns of event files, and how events are arranged in them.
import type { SchemaElement } from 'hyparquet';

/**
 * An event as PostgreSQL exports it, in the order of COLUMNS. Times are in microseconds since 1970, and the properties
 * are a JSON object as text.
 */
export type EventValues = readonly (string | number | boolean | null)[];

type Column = { readonly name: string; readonly element: Partial<SchemaElement>; readonly isRequired?: true };

const STRING = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const;
const INTEGER = { type: 'INT32' } as const;
/** UTC. Engines that read `isAdjustedToUTC` show it as a timestamp with a time zone. */
const TIME = {
  type: 'INT64',
  converted_type: 'TIMESTAMP_MICROS',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
} as const;

/** docs/raw-events.md describes them. New columns are added at the end, so that older files can be read with them. */
const COLUMNS: readonly Column[] = [
  { name: 'received_at', element: TIME, isRequired: true },
  // Text, because not all engines read the UUID type of Parquet. The few values of a file are stored once.
  { name: 'build_id', element: STRING, isRequired: true },
  { name: 'event', element: STRING, isRequired: true },
  { name: 'device_uid', element: STRING },
  { name: 'session_id', element: STRING },
  { name: 'event_id', element: STRING },
  { name: 'anonymous', element: { type: 'BOOLEAN' }, isRequired: true },
  { name: 'ms', element: INTEGER },
  { name: 'seconds', element: INTEGER },
  { name: 'client_time', element: TIME },
  { name: 'properties', element: STRING },
];

export const COLUMN_NAMES: readonly string[] = COLUMNS.map(({ name }) => name);
export const RECEIVED_AT = 0;
export const DEVICE_UID = COLUMN_NAMES.indexOf('device_uid');

export const SCHEMA: SchemaElement[] = [
  { name: 'events', num_children: COLUMNS.length },
  ...COLUMNS.map(
    ({ name, element, isRequired }): SchemaElement => ({
      name,
      ...element,
      repetition_type: isRequired ? 'REQUIRED' : 'OPTIONAL',
    }),
  ),
];
