// Event files: the raw events of a game as Parquet files, for query engines.
import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { CursorQuery, FileParams, GameParams, NextCursor, Nullable, Sha256, Timestamp, Uuid } from './fields.ts';

const Day = (meaning: string) =>
  Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: `${meaning}, a UTC day such as 2026-11-30` });

export const PARQUET_TYPE = 'application/vnd.apache.parquet';

const EventFiles = Type.Object({
  enabled: Type.Boolean(),
  changed_at: Nullable(Timestamp),
  changed_by: Nullable(Type.String({ description: 'Name of the person who last turned it on or off' })),
  written_until: Nullable(Type.String({ ...Timestamp, description: 'All events received before it are in files' })),
  storage_full: Type.Boolean({ description: 'Nothing is written until the game has free storage' }),
  keep_days: Type.Integer({ description: 'Files are deleted after this number of days; 0: never' }),
  prefix: Type.String({ description: 'What the keys of all files of the game begin with in the blob storage' }),
  files: Type.Integer(),
  bytes: Type.Integer(),
  events: Type.Integer(),
  devices_to_remove: Type.Integer({ description: 'Deleted devices whose events are still in files' }),
});

export const getEventFiles = defineOperation({
  id: 'events.fileSettings',
  summary: 'Get whether raw events are written to files, and how many files there are',
  method: 'GET',
  path: '/games/{uid}/event-files',
  access: 'account',
  role: 'developer',
  params: GameParams,
  output: EventFiles,
  statuses: [200],
  errors: ['notFound'],
});

export const setEventFiles = defineOperation({
  id: 'events.setFileSettings',
  summary: 'Turn files of raw events on or off; existing files stay',
  method: 'PUT',
  path: '/games/{uid}/event-files',
  access: 'account',
  role: 'developer',
  params: GameParams,
  body: Type.Object({ enabled: Type.Boolean() }),
  output: EventFiles,
  statuses: [200],
  errors: ['notFound'],
});

export const listEventFiles = defineOperation({
  id: 'events.listFiles',
  summary: 'List the files of raw events, newest first',
  method: 'GET',
  path: '/games/{uid}/event-files/list',
  access: 'account',
  role: 'developer',
  params: GameParams,
  query: Type.Object({
    from: Type.Optional(Day('First day')),
    to: Type.Optional(Day('Last day')),
    ...CursorQuery,
  }),
  output: Type.Object({
    files: Type.Array(
      Type.Object({
        uid: Uuid,
        hour: Type.String({ ...Timestamp, description: 'Start of the hour in which its events were received' }),
        part: Type.Integer({ description: 'Number of the file within its hour, from 0' }),
        blob_key: Type.String({ description: 'Its key in the blob storage, after the prefix of the installation' }),
        size: Type.Integer({ description: 'Bytes' }),
        sha256: Sha256,
        events: Type.Integer(),
        written_at: Timestamp,
      }),
    ),
    next_cursor: NextCursor,
  }),
  statuses: [200],
  errors: ['notFound'],
});

export const downloadEventFile = defineOperation({
  id: 'events.downloadFile',
  summary: 'Download a file of raw events',
  method: 'GET',
  path: '/games/{uid}/event-files/{file_uid}',
  access: 'account',
  role: 'developer',
  params: FileParams,
  answerTypes: [PARQUET_TYPE],
  secret: true,
  statuses: [200, 206, 302, 304],
  errors: ['notFound'],
});

export const deleteEventFiles = defineOperation({
  id: 'events.deleteFiles',
  summary: 'Delete the files of raw events from before a day',
  method: 'DELETE',
  path: '/games/{uid}/event-files',
  access: 'account',
  role: 'admin',
  params: GameParams,
  query: Type.Object({ before: Day('First day whose files are kept') }),
  output: Type.Object({ files: Type.Integer({ description: 'Files that are deleted in the background' }) }),
  statuses: [202],
  errors: ['notFound'],
});
