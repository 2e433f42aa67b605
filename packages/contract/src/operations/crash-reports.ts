// Crash reports: sent by games; read and searched by developers.
import Type from 'typebox';
import { OsInput } from '../identity.ts';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { crashEventOf, SourceLines } from './crash-events.ts';
import { AttachmentInput, CrashAttachment, DOWNLOAD_KINDS } from './crash-files.ts';
import { CrashQuery, REPORT_KINDS, type ReportKind } from './crash-groups.ts';
import {
  ClientId,
  CrashParams,
  CursorQuery,
  FilePart,
  Foreign,
  GameParams,
  NextCursor,
  Nullable,
  SenderHeaders,
  SenderQuery,
  Timestamp,
  Uuid,
} from './fields.ts';

export const CRASH_STATES = ['received', 'queued', 'processing', 'processed', 'failed'] as const;

export const CRASH_SOURCES = ['api', 'engine', 'breakpad', 'crashpad', 'unreal', 'sentry'] as const;

export type { ReportKind };

export type CrashSource = (typeof CRASH_SOURCES)[number];

export type CrashState = (typeof CRASH_STATES)[number];

const Text = (maxLength: number) => Type.Optional(Type.String({ maxLength }));

/** What a client sends about a crash before it uploads the dump and the log. */
export const CrashInput = Type.Object({
  has_dump: Type.Optional(Type.Boolean()),
  has_log: Type.Optional(Type.Boolean()),
  attachments: Type.Optional(
    Type.Array(AttachmentInput, {
      maxItems: 100,
      description: `Further files to be uploaded; those past the first ${LIMITS.crashAttachments} are left out`,
    }),
  ),
  app_name: Text(255),
  app_version: Text(64),
  engine_version: Text(64),
  os: Text(64),
  arch: Text(64),
  message: Text(LIMITS.metadataValueLength),
  user_message: Text(LIMITS.userMessageLength),
  anonymous: Type.Optional(Type.Boolean()),
  device_uid: Type.Optional(ClientId('The same as in events, so that crashes are counted by device')),
  session_id: Type.Optional(ClientId('The same as in events: identifies one run of the game')),
  debug_ids: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: `The debug ids of the scripts in the stack by their URLs, or of mapping.txt by its name; those past the first ${LIMITS.debugIds} are left out`,
    }),
  ),
  metadata: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]), {
      description: 'Not nested; at most 64 keys of up to 64 characters, values of up to 1,024 characters',
    }),
  ),
});

export const CrashUpload = Type.Object({
  url: Type.String(),
  method: Type.Literal('PUT'),
  expires_at: Timestamp,
  max_bytes: Type.Integer(),
  filename: Type.String(),
});

export const CrashCreated = Type.Object({
  id: Uuid,
  read_token: Type.String({ description: 'Gives access to the state, reason and stack of this report; shown once' }),
  uploads: Type.Object({
    dump: Type.Optional(CrashUpload),
    log: Type.Optional(CrashUpload),
    attachments: Type.Optional(
      Type.Array(CrashUpload, { description: 'In the order in which they were announced, without those left out' }),
    ),
  }),
});

export const CrashFrame = Type.Object({
  function: Nullable(Foreign(Type.String())),
  module: Nullable(Foreign(Type.String())),
  file: Nullable(Foreign(Type.String({ description: 'Source file, without the folders of the build machine' }))),
  line: Nullable(Type.Integer()),
  offset: Nullable(Type.String({ description: 'Offset in the module' })),
  trust: Type.String({ description: 'How the frame was found; scan means guessed' }),
  inlined: Type.Boolean(),
});

export const SourceOfText = Type.Optional(
  Nullable(
    Type.Object(SourceLines.properties, {
      description: 'The source code around the frame; only of scripts in a text, if the build has their source maps',
    }),
  ),
);

const Kind = Type.Enum([...REPORT_KINDS], { description: 'error: the game handled it and went on' });

export const CrashSummary = Type.Object({
  crash_id: Uuid,
  kind: Kind,
  build_id: Uuid,
  version: Type.String(),
  group_id: Nullable(Uuid),
  state: Type.Enum([...CRASH_STATES]),
  title: Foreign(Type.String({ description: 'The signature, or the message if there is no stack' })),
  reason: Nullable(Type.String()),
  os: Foreign(Type.String()),
  arch: Foreign(Type.String()),
  device_uid: Nullable(Foreign(Type.String({ description: 'The device, if the client sent one' }))),
  user_message: Foreign(Type.String({ description: "The player's message" })),
  received_at: Timestamp,
});

export const MissingModule = Type.Object({
  module: Foreign(Type.String()),
  debug_id: Foreign(Type.String({ description: 'The code id for a module without a debug id' })),
  why: Type.Enum(['never_uploaded', 'wrong_debug_id', 'unreadable']),
  lookup: Nullable(
    Type.Enum(['waiting', 'absent'], {
      description:
        'What the symbol servers of the service returned: still pending, or not available; null if they are not asked',
    }),
  ),
  detail: Foreign(Type.String()),
});

export const CrashRecord = Type.Object({
  ...CrashSummary.properties,
  commit: Nullable(Type.String({ description: 'The commit of the source code that its build was built from' })),
  source: Type.Enum([...CRASH_SOURCES]),
  app_name: Foreign(Type.String()),
  app_version: Foreign(Type.String()),
  engine_version: Foreign(Type.String()),
  message: Foreign(Type.String()),
  anonymous: Type.Boolean(),
  session_id: Nullable(Foreign(Type.String({ description: 'The session, if the client sent one' }))),
  facets: Type.Array(
    Type.Object({
      facet: Type.String({ description: 'The name of its filter, such as gpu or metadata.level' }),
      value: Foreign(Type.String({ description: 'Empty for a value beyond the limit of the game' })),
    }),
    { description: "What the report is counted by: the player's system, and metadata" },
  ),
  metadata: Foreign(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
  ),
  crash_address: Nullable(Type.String()),
  failure: Nullable(Foreign(Type.String({ description: 'Why the dump could not be read' }))),
  processed_at: Nullable(Timestamp),
  stack: Type.Array(Type.Object({ ...CrashFrame.properties, source: SourceOfText }), {
    description: 'First frames of the crashed thread',
  }),
  missing_symbols: Type.Array(MissingModule),
  available: Type.Array(Type.Enum([...DOWNLOAD_KINDS]), { description: 'Files that can be downloaded' }),
  attachments: Type.Array(CrashAttachment, { description: 'Further files, such as screenshots' }),
  event: Nullable(
    Type.Object(
      crashEventOf({
        ...CrashFrame.properties,
        column: Nullable(Type.Integer()),
        own: Type.Boolean({ description: "Whether it is the game's own code, by which reports are grouped" }),
      }).properties,
      { description: 'What the client of Sentry sent; null for other clients' },
    ),
  ),
});

const dumpParts = {
  dump: Type.Optional(FilePart('application/octet-stream', 'The minidump')),
  log: Type.Optional(FilePart('text/plain', 'The log')),
};

/** A single form with everything, as crash reporters send it. */
export const CrashForm = Type.Object(
  {
    app_id: Type.Optional(Type.String({ description: "The game's uid, if no header names it" })),
    build_id: Type.Optional(Type.String({ description: 'The build_id of the exact build, if no header names it' })),
    metadata: Type.Optional(FilePart('application/json', "Metadata from an engine's crash reporter")),
    ...dumpParts,
    upload_file_minidump: Type.Optional(
      FilePart('application/octet-stream', 'The minidump, under the name that Breakpad and Crashpad use'),
    ),
  },
  {
    additionalProperties: true,
    description:
      'Breakpad and Crashpad send annotations in additional text fields. Additional files are attachments of the report.',
  },
);

const CrashFileForm = Type.Object(dumpParts, { description: 'The file that the URL is for' });

const Encoding = Type.Object({
  'Content-Encoding': Type.Optional(
    Type.Enum(['gzip', 'zstd', 'deflate', 'identity'], { description: 'Compression of the body' }),
  ),
});

const SentByGames = Type.Object({ ...SenderHeaders.properties, ...Encoding.properties });

const IdempotencyKey = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      description:
        'For JSON: a random text that identifies the report. If the game sends it again within a day with the same body and build, the response is that of the first request, and no second report is created.',
      minLength: 1,
      maxLength: 257,
    }),
  ),
});

const ReadToken = Type.Object({
  'X-Read-Token': Type.Optional(
    Type.String({ description: "The report's read_token; the header keeps it out of URLs and logs" }),
  ),
});

const PublicCrash = Type.Object({
  id: Type.String(),
  app_id: Uuid,
  build_id: Uuid,
  state: Type.Enum([...CRASH_STATES]),
  analysis: Nullable(Type.Object({ crash_reason: Nullable(Type.String()), crash_address: Nullable(Type.String()) })),
});

export const createCrash = defineOperation({
  id: 'crashes.create',
  summary: 'Report a crash: send JSON and then PUT the dump and log, or send everything in one form',
  method: 'POST',
  path: '/public/crashes',
  access: 'public',
  audit: false,
  crossOrigin: true,
  headers: Type.Object({ ...SentByGames.properties, ...IdempotencyKey.properties }),
  headerQuery: SenderQuery,
  body: CrashInput,
  otherBodies: { 'multipart/form-data': CrashForm },
  output: CrashCreated,
  plainAnswers: [
    {
      status: 200,
      contentType: 'text/plain',
      schema: Type.String({ description: 'The id of the report' }),
      description: 'For a form with upload_file_minidump: Breakpad and Crashpad expect 200 and only the id',
    },
  ],
  secret: true,
  statuses: [201],
  invalid: 'unreadableBody',
  errors: [
    'unreadableBody',
    'missingIds',
    'unknownClientIds',
    'tooLarge',
    'tooMany',
    'idempotencyKeyReused',
    'limitReached',
  ],
  example: {
    body: {
      has_dump: true,
      app_version: '1.4.0',
      os: 'linux',
      arch: 'x86_64',
      message: 'Segmentation fault',
      user_message: 'I opened the door',
      metadata: { level: 3, renderer: 'vulkan' },
    },
  },
});

export const createUnrealCrash = defineOperation({
  id: 'crashes.createUnreal',
  summary: "Report a crash in the format of Unreal Engine's CrashReportClient",
  method: 'POST',
  path: '/public/crashes/unreal',
  access: 'public',
  audit: false,
  crossOrigin: true,
  headers: SenderHeaders,
  headerQuery: SenderQuery,
  bodyKind: 'bytes',
  output: CrashCreated,
  secret: true,
  statuses: [201],
  invalid: 'unreadableBody',
  errors: ['unreadableBody', 'missingIds', 'unknownClientIds', 'tooLarge', 'limitReached'],
});

export const uploadCrashFile = defineOperation({
  id: 'crashes.upload',
  summary: 'Upload the dump, the log or an attachment of a report, as bytes or as a form, to its single-use URL',
  method: 'PUT',
  path: '/public/crashes/uploads/{token}',
  host: 'upload',
  access: 'public',
  audit: false,
  crossOrigin: true,
  headers: Encoding,
  bodyKind: 'bytes',
  otherBodies: { 'multipart/form-data': CrashFileForm },
  params: Type.Object({ token: Type.String({ maxLength: 256 }) }),
  output: Type.Object({ crash_id: Uuid, kind: Type.Enum(['dump', 'log', 'attachment']), size: Type.Integer() }),
  statuses: [200],
  errors: ['unreadableBody', 'notFound', 'tooLarge'],
});

export const getPublicCrash = defineOperation({
  id: 'crashes.getPublic',
  summary: 'Get the state and reason of a report with its read token',
  method: 'GET',
  path: '/public/crashes/{id}',
  access: 'public',
  crossOrigin: true,
  params: Type.Object({ id: Type.String({ maxLength: 128 }) }),
  query: Type.Object({ read_token: Type.Optional(Type.String({ maxLength: 128 })) }),
  headers: ReadToken,
  output: PublicCrash,
  plainAnswers: [
    {
      status: 200,
      contentType: 'application/json',
      schema: PublicCrash,
      description:
        "Without an envelope for an engine's sidecar process, which uses its own random id and no read token",
    },
  ],
  secret: true,
  statuses: [200],
  errors: ['notFound'],
});

export const getPublicStack = defineOperation({
  id: 'crashes.getPublicStack',
  summary: "Get the crashed thread's stack as text with the report's read token",
  method: 'GET',
  path: '/public/crashes/{id}/stack',
  access: 'public',
  crossOrigin: true,
  params: Type.Object({ id: Type.String({ maxLength: 128 }) }),
  query: Type.Object({ read_token: Type.Optional(Type.String({ maxLength: 128 })) }),
  headers: ReadToken,
  answerTypes: ['text/plain'],
  secret: true,
  statuses: [200],
  errors: ['notFound', 'noSuchCrashFile'],
});

export const listCrashes = defineOperation({
  id: 'crashes.list',
  summary:
    'List recent crash reports, newest first, filtered by a query, build, group, OS, text or function on the stack',
  method: 'GET',
  path: '/games/{uid}/crashes',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  query: Type.Object({
    build_id: Type.Optional(Uuid),
    group_id: Type.Optional(Uuid),
    os: Type.Optional(OsInput),
    kind: Type.Optional(
      Type.Enum([...REPORT_KINDS], { description: 'Crashes, or errors that the game handled; both by default' }),
    ),
    query: CrashQuery,
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: "Words to search for, by prefix, in the title, the message and the player's message",
      }),
    ),
    frame: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'Part of the name of a function on the crashed stack',
      }),
    ),
    ...CursorQuery,
  }),
  output: Type.Object({ crashes: Type.Array(CrashSummary), next_cursor: NextCursor }),
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'list_game_crashes',
    when: 'Use it to search individual reports, for example by a function on the stack or the words of a player. For an overview, use list_crash_groups.',
    scope: 'mcp:read',
  },
});

export const getCrash = defineOperation({
  id: 'crashes.get',
  summary: "Get a crash report with its metadata, the player's message and the stack",
  method: 'GET',
  path: '/games/{uid}/crashes/{crash_id}',
  access: 'account',
  role: 'viewer',
  params: CrashParams,
  output: CrashRecord,
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'get_crash',
    when: 'Use it to find the cause of a crash, with a crash_id from list_game_crashes or the sample_crash_id of a group.',
    scope: 'mcp:read',
    more: 'Use request_crash_download to get the whole stack, the log, the dump or an attachment.',
  },
});

export const deleteCrash = defineOperation({
  id: 'crashes.delete',
  summary: 'Delete a crash report with its dump, log, stack and attachments',
  method: 'DELETE',
  path: '/games/{uid}/crashes/{crash_id}',
  access: 'account',
  role: 'developer',
  params: CrashParams,
  output: Type.Object({ deleted: Type.Boolean() }),
  statuses: [200],
  errors: ['notFound'],
});
