// The audit log: who changed what, when and from where, for a game and for the whole service.
import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import {
  CursorQuery,
  Foreign,
  GameParams,
  NextCursor,
  Nullable,
  OrganisationParams,
  Timestamp,
  Uuid,
} from './fields.ts';

export const ACTOR_KINDS = [
  'user',
  'agent',
  'operator',
  'deploy_key',
  'upload_token',
  'cli_login',
  'api_token',
  'server',
  'anonymous',
] as const;

const Filters = {
  who: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Part of the name of a person, agent, key or token' }),
  ),
  kind: Type.Optional(Type.Enum(ACTOR_KINDS, { description: 'server: the command chauffeur-server' })),
  what: Type.Optional(
    Type.String({
      maxLength: 80,
      pattern: '^[A-Za-z]+(\\.[A-Za-z]+)?$',
      description: 'An operation such as channels.promote, or all of a group such as channels',
    }),
  ),
  from: Type.Optional({ ...Timestamp, description: 'Only entries of this time or later' }),
  to: Type.Optional({ ...Timestamp, description: 'Only entries before this time' }),
  search: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Part of a value, a name, an operation or an address' }),
  ),
};

const AuditEntry = Type.Object({
  entry_id: Uuid,
  at: Timestamp,
  actor: Type.Object({
    kind: Type.Enum(ACTOR_KINDS),
    id: Nullable(Type.String({ description: 'Of the account or the upload token' })),
    name: Foreign(Type.String()),
    via: Nullable(Foreign(Type.String({ description: 'Name of the agent, or the first characters of the key' }))),
  }),
  operation: Type.String({
    description: 'An operation of the API; auth.… for accounts; admin.… for the command chauffeur-server',
  }),
  game: Nullable(Type.Object({ game_uid: Uuid, name: Foreign(Type.String()) })),
  details: Foreign(
    Type.Record(Type.String(), Type.Unknown(), { description: 'Ids of what was changed, and settings of the request' }),
  ),
  changes: Foreign(
    Type.Record(
      Type.String(),
      Type.Object({ before: Type.Optional(Type.Unknown()), after: Type.Optional(Type.Unknown()) }),
      { description: 'By field; long values are cut' },
    ),
  ),
  outcome: Type.Integer({ description: '0, or the code of an error after which a part of the change may be kept' }),
  address: Nullable(Type.String({ description: 'IP address' })),
  client: Nullable(Foreign(Type.String({ description: 'The User-Agent header' }))),
});

const Entries = Type.Object({ entries: Type.Array(AuditEntry), next_cursor: NextCursor });

const Format = Type.Optional(
  Type.Enum(['csv', 'jsonl'], { description: 'csv by default; jsonl: a JSON object a line' }),
);

export const listAuditEntries = defineOperation({
  id: 'audit.list',
  summary: 'List the changes of a game, newest first: who, what, the values before and after, and from where',
  method: 'GET',
  path: '/games/{uid}/audit',
  access: 'account',
  role: 'admin',
  params: GameParams,
  query: Type.Object({ ...Filters, ...CursorQuery }),
  output: Entries,
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'list_audit_log',
    when: 'Use it to find out who changed something in a game, and what it was before.',
    scope: 'mcp:read',
  },
});

export const exportAuditEntries = defineOperation({
  id: 'audit.export',
  summary: 'Download the changes of a game as CSV or JSON lines, newest first',
  method: 'GET',
  path: '/games/{uid}/audit/export',
  access: 'account',
  role: 'admin',
  params: GameParams,
  query: Type.Object({ format: Format, ...Filters }),
  answerTypes: ['text/csv', 'application/jsonl'],
  named: true,
  statuses: [200],
  errors: ['notFound'],
});

export const listOrganisationAuditEntries = defineOperation({
  id: 'audit.listOfOrganisation',
  summary: 'List the changes of an organisation and its games, newest first',
  method: 'GET',
  path: '/organisations/{organisation}/audit',
  access: 'account',
  role: 'admin',
  params: OrganisationParams,
  query: Type.Object({ ...Filters, ...CursorQuery }),
  output: Entries,
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'list_organisation_audit_log',
    when: 'Use it to find out who changed the members, roles or settings of an organisation, or something in its games.',
    scope: 'mcp:read',
  },
});

export const exportOrganisationAuditEntries = defineOperation({
  id: 'audit.exportOfOrganisation',
  summary: 'Download the changes of an organisation and its games as CSV or JSON lines, newest first',
  method: 'GET',
  path: '/organisations/{organisation}/audit/export',
  access: 'account',
  role: 'admin',
  params: OrganisationParams,
  query: Type.Object({ format: Format, ...Filters }),
  answerTypes: ['text/csv', 'application/jsonl'],
  named: true,
  statuses: [200],
  errors: ['notFound'],
});

export const listServiceAuditEntries = defineOperation({
  id: 'audit.listAll',
  summary: 'List the changes of all games, accounts and the service, newest first',
  method: 'GET',
  path: '/operator/audit',
  access: 'operator',
  query: Type.Object({ ...Filters, ...CursorQuery }),
  output: Entries,
  statuses: [200],
  errors: [],
});

export const exportServiceAuditEntries = defineOperation({
  id: 'audit.exportAll',
  summary: 'Download the changes of all games, accounts and the service as CSV or JSON lines, newest first',
  method: 'GET',
  path: '/operator/audit/export',
  access: 'operator',
  query: Type.Object({ format: Format, ...Filters }),
  answerTypes: ['text/csv', 'application/jsonl'],
  named: true,
  statuses: [200],
  errors: [],
});
