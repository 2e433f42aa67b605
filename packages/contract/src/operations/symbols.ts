// Breakpad symbols: uploaded with the deploy key, listed and deleted by developers, read by other stackwalkers.
import Type from 'typebox';
import { ChecksumInput } from '../identity.ts';
import { defineOperation } from '../operation.ts';
import {
  BUILD_FORM_ERRORS,
  BuildParams,
  CursorQuery,
  FilePart,
  Foreign,
  GameParams,
  NextCursor,
  Nullable,
  Sha256,
  Timestamp,
  Uuid,
} from './fields.ts';

export const SYMBOL_STATES = ['stored', 'compiled', 'unreadable'] as const;
export type SymbolState = (typeof SYMBOL_STATES)[number];

/** The files that lead from what players run to the sources. */
const SYMBOL_KINDS = ['symbols', 'script', 'source_map', 'proguard', 'il2cpp'] as const;
export type SymbolKind = (typeof SYMBOL_KINDS)[number];

export const SymbolRecord = Type.Object({
  symbol_uid: Uuid,
  build_id: Uuid,
  kind: Type.Enum([...SYMBOL_KINDS]),
  debug_file: Foreign(
    Type.String({
      description: 'File with the debug information, such as game.pdb; of a script, its address, such as ~/game.js',
    }),
  ),
  debug_id: Type.String({
    description: 'Breakpad debug id; the code id for a module without one; empty until a native file is converted',
  }),
  code_id: Nullable(
    Type.String({ description: 'Identifies the code file, such as its timestamp and size on Windows' }),
  ),
  os: Type.String(),
  cpu: Type.String(),
  size: Type.Integer({ description: 'Size in bytes of the text, or of a native file that is not converted' }),
  checksum: Sha256,
  state: Type.Enum([...SYMBOL_STATES], {
    description: 'stored: not converted or compiled yet; unreadable: see problem',
  }),
  problem: Nullable(
    Foreign(
      Type.String({
        description: 'Why the file cannot be read or is of little use, or what was skipped',
      }),
    ),
  ),
  functions: Nullable(Type.Integer({ description: 'Functions with a name; null until counted' })),
  has_lines: Nullable(Type.Boolean({ description: 'Whether functions have source lines; null until counted' })),
  unwind: Nullable(Type.Integer({ description: 'Ranges with unwind rules; null until counted' })),
  native_checksum: Nullable({
    ...Sha256,
    description:
      'SHA-256 of the native file that the symbols are made of, also before it is converted; null for others',
  }),
  uploaded_at: Timestamp,
  poorer_at: Nullable({
    ...Timestamp,
    description: 'When a less complete file of this module was last uploaded, which is not used',
  }),
});
const SymbolList = Type.Object({ symbols: Type.Array(SymbolRecord) });
const SymbolPage = Type.Object({ ...SymbolList.properties, next_cursor: NextCursor });

export const uploadSymbols = defineOperation({
  id: 'symbols.upload',
  summary:
    "Upload a Breakpad .sym file, a program or a debug file, a script with its source map, a mapping, or a zip of them, for a build; Breakpad's sym_upload works as well",
  method: 'POST',
  path: '/tool/upload/symbols',
  host: 'upload',
  access: 'deploy_key',
  uploadScope: 'symbols',
  role: 'developer',
  bodyKind: 'multipart',
  query: Type.Object({
    build_id: Type.Optional(Type.String({ description: 'The build, if it is not in the form', maxLength: 64 })),
  }),
  body: Type.Object({
    build_id: Type.Optional(Uuid),
    checksum: Type.Optional(ChecksumInput),
    file: Type.Optional(
      FilePart('application/octet-stream', 'A .sym file, a program, a PDB or another debug file, or a zip of them'),
    ),
    symbol_file: Type.Optional(
      FilePart('application/octet-stream', "The same, under the name that Breakpad's sym_upload uses"),
    ),
  }),
  output: Type.Object({
    build_id: Uuid,
    count: Type.Integer(),
    ...SymbolList.properties,
    not_used: Type.Array(
      Type.Object({
        file: Foreign(Type.String({ description: 'Its name in the upload' })),
        debug_file: Foreign(Type.String()),
        debug_id: Type.String(),
        kept_symbol_uid: Uuid,
        reason: Type.String(),
      }),
      { description: 'Files that are not used because the build has a more complete one of the same module' },
    ),
  }),
  statuses: [201, 200],
  invalid: 'unreadableForm',
  errors: [
    ...BUILD_FORM_ERRORS,
    'wrongChecksum',
    'notSymbols',
    'ownerNotVerified',
    'limitReached',
    'storageLimitReached',
    'symbolsNotStored',
  ],
});

export const listToolSymbols = defineOperation({
  id: 'symbols.list',
  summary: "List the symbols of a build of the deploy key's game by file name, to skip those already uploaded",
  method: 'GET',
  path: '/tool/symbols',
  access: 'deploy_key',
  uploadScope: 'symbols',
  role: 'developer',
  query: Type.Object({ build_id: Uuid, ...CursorQuery }),
  output: SymbolPage,
  statuses: [200],
  errors: ['unknownBuildOfFile'],
});

export const listBuildSymbols = defineOperation({
  id: 'symbols.listOfBuild',
  summary: 'List the symbols of a build by file name',
  method: 'GET',
  path: '/games/{uid}/builds/{build_id}/symbols',
  access: 'account',
  role: 'viewer',
  params: BuildParams,
  query: Type.Object(CursorQuery),
  output: SymbolPage,
  statuses: [200],
  errors: ['unknownBuild', 'notFound'],
  mcp: {
    tool: 'list_build_symbols',
    when: 'Use it when stacks have no function names, to see which modules of a build have symbols.',
    scope: 'mcp:read',
  },
});

export const deleteBuildSymbols = defineOperation({
  id: 'symbols.delete',
  summary: 'Delete one symbol file of a build, or all of them',
  method: 'DELETE',
  path: '/games/{uid}/builds/{build_id}/symbols',
  access: 'account',
  role: 'developer',
  params: BuildParams,
  query: Type.Object({ symbol_uid: Type.Optional(Uuid) }),
  output: Type.Object({ deleted: Type.Integer() }),
  statuses: [200],
  errors: ['unknownBuild', 'notFound'],
  mcp: {
    tool: 'delete_build_symbols',
    when: 'Use it only when the user asks to remove symbols. New crashes of the build then have no function names.',
    scope: 'mcp:write',
  },
});

export const listSymbolsWithoutBuild = defineOperation({
  id: 'symbols.listWithoutBuild',
  summary: 'List the symbols that belong to no build by file name; all builds with their debug ids use them',
  method: 'GET',
  path: '/games/{uid}/symbols',
  access: 'account',
  role: 'developer',
  params: GameParams,
  query: Type.Object(CursorQuery),
  output: Type.Object({ symbols: Type.Array(Type.Omit(SymbolRecord, ['build_id'])), next_cursor: NextCursor }),
  statuses: [200],
  errors: ['notFound'],
});

export const deleteSymbolsWithoutBuild = defineOperation({
  id: 'symbols.deleteWithoutBuild',
  summary: 'Delete one symbol file that belongs to no build, or all of them',
  method: 'DELETE',
  path: '/games/{uid}/symbols',
  access: 'account',
  role: 'developer',
  params: GameParams,
  query: Type.Object({ symbol_uid: Type.Optional(Uuid) }),
  output: Type.Object({ deleted: Type.Integer() }),
  statuses: [200],
  errors: ['notFound'],
});

export const issueSymbolToken = defineOperation({
  id: 'symbols.issueToken',
  summary: "Create the URL where other stackwalkers read the game's symbols; the previous URL stops working",
  method: 'POST',
  path: '/games/{uid}/symbol-token',
  access: 'account',
  tokenScope: 'none',
  role: 'admin',
  params: GameParams,
  output: Type.Object({
    symbols_url: Type.String({ description: 'For minidump-stackwalk --symbols-url; shown once' }),
  }),
  secret: true,
  statuses: [201],
  errors: ['notFound'],
});

export const readSymbols = defineOperation({
  id: 'symbols.read',
  summary: 'Get the text of a symbol file, gzipped if the client accepts it',
  method: 'GET',
  path: '/symbols/{token}/{debug_file}/{debug_id}/{name}',
  access: 'public',
  params: Type.Object({
    token: Type.String({ maxLength: 128 }),
    debug_file: Type.String({ maxLength: 255 }),
    debug_id: Type.String({ maxLength: 64 }),
    name: Type.String({ maxLength: 255 }),
  }),
  headers: Type.Object({
    'Accept-Encoding': Type.Optional(Type.String({ description: 'With gzip, the response is compressed' })),
  }),
  answerTypes: ['text/plain'],
  statuses: [200, 304],
  invalid: 'notFound',
  errors: ['notFound'],
});
