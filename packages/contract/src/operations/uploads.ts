// Uploads of build files: in one multipart request, or in chunks through a session that survives interruptions.
import Type, { type Static } from 'typebox';
import { ArchInput, ArchName, ChannelName, ChecksumInput, OsInput, OsName } from '../identity.ts';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { BUILD_FORM_ERRORS, FilePart, Nullable, Sha256, Timestamp, Uuid } from './fields.ts';
import { ScanStateName } from './files.ts';

/** The text fields of the single-upload form, in addition to the part `file`. */
export const FileForm = Type.Object({
  build_id: Type.Optional(Uuid),
  build: Type.Optional(Type.String({ maxLength: LIMITS.titleLength, description: 'Title of the build; ignored' })),
  build_type: Type.Optional(Type.String()),
  version: Type.Optional(Type.String()),
  os: OsInput,
  arch: ArchInput,
  channel: ChannelName,
  checksum: ChecksumInput,
});

export const UPLOAD_FORMATS = ['zip', 'blocks'] as const;
export type UploadFormat = (typeof UPLOAD_FORMATS)[number];

export const SessionForm = Type.Object({
  ...FileForm.properties,
  filename: Type.String({ minLength: 1, maxLength: LIMITS.filenameLength }),
  total_size: Type.Integer({ minimum: 1, maximum: LIMITS.fileBytes, description: 'Bytes of all chunks together' }),
  format: Type.Optional(
    Type.Enum([...UPLOAD_FORMATS], {
      description:
        'What the chunks are: `zip`, the default, or `blocks`, a bundle from which the server composes the zip with what it has already',
    }),
  ),
});

export const UploadSession = Type.Object({
  session_id: Uuid,
  expected_size: Type.Integer({ description: 'Size of the whole zip in bytes' }),
  current_size: Type.Integer({ description: 'Bytes stored so far' }),
  expires_at: Timestamp,
});

export const UploadedFile = Type.Object({
  file_uid: Uuid,
  build_id: Uuid,
  filename: Type.String(),
  checksum: Sha256,
  size: Type.Integer(),
  status: ScanStateName,
  message: Type.String(),
  os: OsName,
  arch: ArchName,
  channel: Type.String(),
});
export type UploadedFile = Static<typeof UploadedFile>;

export const ChunkReceipt = Type.Object({
  session_id: Uuid,
  current_size: Type.Integer(),
  expected_size: Type.Integer(),
  progress: Type.Number({ description: 'Percent, 0 to 100' }),
});
export type ChunkReceipt = Static<typeof ChunkReceipt>;

/** The response to the last chunk of a bundle. */
export const BundleReceipt = Type.Object({ session_id: Uuid, state: Type.Literal('composing') });
export type BundleReceipt = Static<typeof BundleReceipt>;

const SESSION_STATES = ['receiving', 'composing', 'done', 'failed'] as const;
export type SessionState = (typeof SESSION_STATES)[number];

export const uploadFile = defineOperation({
  id: 'uploads.file',
  summary: "Upload a build's zip, or one chunk of it with X-Upload-Session-ID and Content-Range",
  method: 'POST',
  path: '/tool/upload/files',
  host: 'upload',
  access: 'deploy_key',
  audit: 'changes',
  uploadScope: 'builds',
  role: 'developer',
  headers: Type.Object({
    'X-Upload-Session-ID': Type.Optional(Type.String({ description: 'For a chunk: the session_id' })),
    'Content-Range': Type.Optional(
      Type.String({ description: 'For a chunk: `bytes <start>-<end>/<total_size>`, end inclusive' }),
    ),
  }),
  bodyKind: 'multipart',
  body: Type.Object(
    {
      ...Type.Partial(FileForm).properties,
      file: FilePart('application/zip', 'The zip, or one chunk of it; send it last'),
    },
    { description: 'A whole zip needs os, arch, channel and checksum; a chunk needs only the file' },
  ),
  output: Type.Union([UploadedFile, Type.Union([ChunkReceipt, BundleReceipt])]),
  statuses: [201, 202],
  invalid: 'unreadableForm',
  errors: [
    ...BUILD_FORM_ERRORS,
    'invalidChunk',
    'unknownSession',
    'wrongChecksum',
    'chunkUnderWay',
    'fileNotSaved',
    'ownerNotVerified',
    'limitReached',
    'storageLimitReached',
  ],
});

export const openUploadSession = defineOperation({
  id: 'uploads.openSession',
  summary: 'Open an upload session for a zip that is sent in chunks',
  method: 'POST',
  path: '/tool/upload/sessions',
  host: 'upload',
  access: 'deploy_key',
  audit: false,
  uploadScope: 'builds',
  role: 'developer',
  bodyKind: 'urlencoded',
  body: SessionForm,
  otherBodies: { 'application/json': SessionForm },
  output: UploadSession,
  statuses: [201],
  invalid: 'unreadableForm',
  errors: [...BUILD_FORM_ERRORS, 'ownerNotVerified', 'limitReached', 'tooManySessions', 'storageLimitReached'],
});

export const listUploadSessions = defineOperation({
  id: 'uploads.listSessions',
  summary: "List the open upload sessions of the deploy key's game, to resume an interrupted upload",
  method: 'GET',
  path: '/tool/upload/sessions',
  host: 'upload',
  access: 'deploy_key',
  uploadScope: 'builds',
  role: 'developer',
  query: Type.Object({ build_id: Type.Optional(Uuid), checksum: Type.Optional(ChecksumInput) }),
  output: Type.Object({
    sessions: Type.Array(
      Type.Object({ ...UploadSession.properties, build_id: Uuid, filename: Type.String(), checksum: Sha256 }),
    ),
  }),
  statuses: [200],
  errors: [],
});

export const abortUploadSession = defineOperation({
  id: 'uploads.abortSession',
  summary: 'Abort an upload session and free its storage',
  method: 'DELETE',
  path: '/tool/upload/sessions/{session_id}',
  host: 'upload',
  access: 'deploy_key',
  audit: false,
  uploadScope: 'builds',
  role: 'developer',
  params: Type.Object({ session_id: Uuid }),
  output: Type.Object({ session_id: Uuid }),
  statuses: [200],
  errors: ['unknownSession', 'chunkUnderWay'],
});

export const getUploadSession = defineOperation({
  id: 'uploads.getSession',
  summary: 'Get the state of an upload session, and the file once it is complete',
  method: 'GET',
  path: '/tool/upload/sessions/{session_id}',
  host: 'upload',
  access: 'deploy_key',
  uploadScope: 'builds',
  role: 'developer',
  params: Type.Object({ session_id: Uuid }),
  output: Type.Object({
    ...UploadSession.properties,
    state: Type.Enum([...SESSION_STATES], {
      description: '`composing`: the bundle has arrived, and the zip is made from it',
    }),
    file: Nullable(UploadedFile),
    error: Nullable(
      Type.Object({ code: Type.Integer(), message: Type.String() }, { description: 'Why no zip could be composed' }),
    ),
  }),
  statuses: [200],
  errors: ['unknownSession'],
});

export const planUpload = defineOperation({
  id: 'uploads.plan',
  summary: 'Ask which blocks of a zip the server has from earlier files of the game, to send only the others',
  method: 'POST',
  path: '/tool/upload/plans',
  host: 'upload',
  access: 'deploy_key',
  audit: false,
  uploadScope: 'builds',
  role: 'developer',
  query: Type.Object({ build_id: Uuid }),
  bodyKind: 'bytes',
  output: Type.Object({
    same_file: Nullable({
      ...UploadedFile,
      description: "The build's newest file, if it has the same files, folders and links",
    }),
    earlier_files: Type.Integer({ description: 'In how many earlier files of the game the server has looked' }),
    known_blocks: Type.Integer({ description: 'How many blocks the server has' }),
    known_bytes: Type.Integer({ description: 'Their bytes in the zip' }),
    missing: Type.String({
      description: 'Base64 of a bit for each block of the recipe, the lowest first: 1 if it has to be sent',
    }),
  }),
  statuses: [200],
  invalid: 'unreadableForm',
  errors: ['unreadableForm', 'unknownBuildOfFile', 'tooLarge', 'limitReached'],
});
