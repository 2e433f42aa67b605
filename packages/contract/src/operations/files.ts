// Uploaded files of builds: the state of their scans, and rejected uploads.
import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { Foreign, GameParams, Nullable, PageInfo, PageQuery, Sha256, Timestamp, Uuid } from './fields.ts';

export const SCAN_STATES = ['pending', 'scanning', 'clean', 'infected', 'error', 'unscanned'] as const;
export type ScanState = (typeof SCAN_STATES)[number];
export const ScanStateName = Type.Enum([...SCAN_STATES]);

export const FileSummary = Type.Object({
  file_uid: Uuid,
  filename: Foreign(Type.String()),
  size: Type.Integer({ description: 'Bytes' }),
  checksum: Sha256,
  status: ScanStateName,
  message: Type.String({ description: 'The scan result in one line that can be shown to players' }),
  uploaded_at: Timestamp,
});

export const ScanEvent = Type.Object({
  at: Timestamp,
  state: ScanStateName,
  engine: Nullable(Type.String()),
  signature_version: Nullable(Type.String()),
  detail: Nullable(Foreign(Type.String())),
});

/** Who uploaded a file. */
export const FileOrigin = Type.Union([
  Type.Object({
    type: Type.Literal('deploy_key'),
    key_ref: Type.String({ description: 'First 8 characters of the access token' }),
  }),
  Type.Object({
    type: Type.Literal('cli_login'),
    key_ref: Type.String({ description: 'First characters of the key of the login' }),
    user: Type.String({ description: 'Name of the person who signed in with the chauffeur command' }),
  }),
  Type.Object({
    type: Type.Literal('api_token'),
    key_ref: Type.String({ description: 'First characters of the token' }),
    user: Type.String({ description: 'Name of the person whose API token it is' }),
  }),
  Type.Object({ type: Type.Literal('website'), user: Type.String() }),
]);

/** What the server took from earlier files to compose a zip, of which only what changed was sent. */
export const ReusedParts = Type.Array(
  Type.Object({ file_uid: Uuid, bytes: Type.Integer({ description: 'Bytes of the zip that are from this file' }) }),
  { description: 'The earlier files of the game from which parts of the zip are; empty if the whole zip was uploaded' },
);

export const getFile = defineOperation({
  id: 'files.get',
  summary: "Get an uploaded file of the deploy key's game and the state of its scan",
  method: 'GET',
  path: '/tool/files/{file_uid}',
  access: 'deploy_key',
  uploadScope: 'any',
  role: 'developer',
  params: Type.Object({ file_uid: Uuid }),
  output: Type.Object({ ...FileSummary.properties, build_id: Uuid, detail: Nullable(Type.String()) }),
  statuses: [200],
  errors: ['notFound'],
});

export const getFileManifest = defineOperation({
  id: 'files.manifest',
  summary: "Get the manifest of an uploaded file of the deploy key's game: its entries and blocks",
  method: 'GET',
  path: '/tool/files/{file_uid}/manifest',
  access: 'deploy_key',
  uploadScope: 'any',
  role: 'developer',
  params: Type.Object({ file_uid: Uuid }),
  answerTypes: ['application/vnd.chauffeur.manifest'],
  statuses: [200, 206, 304],
  errors: ['notFound'],
});

export const listRejectedUploads = defineOperation({
  id: 'files.rejected',
  summary: 'List the uploads of the last 30 days that were infected or could not be scanned',
  method: 'GET',
  path: '/games/{uid}/rejected-uploads',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  query: Type.Object(PageQuery),
  output: Type.Object({
    files: Type.Array(
      Type.Object({
        ...FileSummary.properties,
        build_id: Uuid,
        detail: Nullable(Type.String()),
        rejected_at: Timestamp,
      }),
    ),
    pagination: PageInfo,
  }),
  statuses: [200],
  errors: ['notFound'],
});
