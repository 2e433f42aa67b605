// Uploads of build files: in one multipart request, or in chunks through a session that survives interruptions.
import Type, { type Static } from 'typebox';
import { ArchInput, ArchName, ChannelName, ChecksumInput, OsInput, OsName } from '../identity.ts';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { BUILD_FORM_ERRORS, FilePart, Sha256, Timestamp, Uuid } from './fields.ts';
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

export const SessionForm = Type.Object({
  ...FileForm.properties,
  filename: Type.String({ minLength: 1, maxLength: LIMITS.filenameLength }),
  total_size: Type.Integer({ minimum: 1, maximum: LIMITS.fileBytes, description: 'Size of the whole zip in bytes' }),
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
  output: Type.Union([UploadedFile, ChunkReceipt]),
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
