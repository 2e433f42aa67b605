// DSNs: the addresses, each with a key, that games put into Sentry's SDKs. A key is part of every copy of a game, so it
// isn't secret, and is shown as often as it is needed.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { GameParams, GameRef, Line, Nullable, Timestamp, Uuid } from './fields.ts';

const DsnName = Line('a name to recognize it by, such as that of a platform', {
  minLength: 1,
  maxLength: LIMITS.dsnNameLength,
});

const DsnRecord = Type.Object({
  dsn_id: Uuid,
  name: Type.String(),
  dsn: Type.String({ description: 'What the SDK needs: the address of the server, with the key and the number' }),
  project_no: Type.Integer({ description: 'The number of the game, which all of its DSNs end with' }),
  state: Type.Enum(['active', 'revoked']),
  created_by: Type.String(),
  created_at: Timestamp,
  revoked_at: Nullable(Timestamp),
  last_used_at: Nullable({ ...Timestamp, description: 'To the minute' }),
});

const DsnParams = Type.Object({ uid: GameRef, dsn_id: Uuid });

export const listDsns = defineOperation({
  id: 'dsns.list',
  summary: "List a game's DSNs, active ones first; at most 100",
  method: 'GET',
  path: '/games/{uid}/dsns',
  access: 'account',
  role: 'developer',
  params: GameParams,
  output: Type.Object({ dsns: Type.Array(DsnRecord) }),
  statuses: [200],
  errors: ['notFound'],
});

export const createDsn = defineOperation({
  id: 'dsns.create',
  summary: `Create a DSN; a game can have ${LIMITS.dsns} active ones`,
  method: 'POST',
  path: '/games/{uid}/dsns',
  access: 'account',
  role: 'admin',
  params: GameParams,
  body: Type.Object({ name: DsnName }),
  output: DsnRecord,
  statuses: [201],
  errors: ['notFound'],
  example: { body: { name: 'Windows' } },
});

export const renameDsn = defineOperation({
  id: 'dsns.rename',
  summary: 'Rename a DSN; what it is stays the same',
  method: 'PATCH',
  path: '/games/{uid}/dsns/{dsn_id}',
  access: 'account',
  role: 'admin',
  params: DsnParams,
  body: Type.Object({ name: DsnName }),
  output: DsnRecord,
  statuses: [200],
  errors: ['notFound'],
});

export const revokeDsn = defineOperation({
  id: 'dsns.revoke',
  summary: 'Revoke a DSN: copies of the game that have it can no longer report anything',
  method: 'DELETE',
  path: '/games/{uid}/dsns/{dsn_id}',
  access: 'account',
  role: 'admin',
  params: DsnParams,
  output: DsnRecord,
  statuses: [200],
  errors: ['notFound'],
});
