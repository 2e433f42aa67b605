// Programs that act for a person over MCP: their personal keys, those that were connected by consent, and what they called.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { CursorQuery, Foreign, GameParams, GameRef, NextCursor, Nullable, Timestamp, Uuid } from './fields.ts';

export const AGENT_KEY_PREFIX = 'chf_mcp_';

/** What the program may do, and to which games. */
const Reach = {
  may_write: Type.Boolean({ description: 'Whether it may change things; else it only reads' }),
  game: Nullable(
    Type.Object(
      { game_uid: Uuid, slug: Type.String(), name: Type.String() },
      { description: 'The only game that it reaches; null for all of yours' },
    ),
  ),
};

const AskedReach = {
  may_write: Reach.may_write,
  game: Type.Optional({ ...GameRef, description: 'The only game that it shall reach; absent for all of yours' }),
};

export const AgentKey = Type.Object({
  key_id: Uuid,
  key_ref: Type.String({ description: 'How the key begins' }),
  name: Type.String(),
  ...Reach,
  created_at: Timestamp,
  expires_at: Nullable(Timestamp),
  last_used_at: Nullable(Timestamp),
  revoked_at: Nullable(Timestamp),
});

export const createAgentKey = defineOperation({
  id: 'agents.createKey',
  summary: 'Make a personal key for MCP clients; it is shown once',
  method: 'POST',
  path: '/account/agent-keys',
  access: 'account',
  body: Type.Object({
    name: Type.String({ minLength: 1, maxLength: LIMITS.agentNameLength, description: 'What you know it by' }),
    ...AskedReach,
    expires_in_days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LIMITS.agentKeyDays, description: 'Absent: it does not expire' }),
    ),
  }),
  output: Type.Object({ ...AgentKey.properties, key: Type.String({ description: 'The key itself' }) }),
  secret: true,
  statuses: [201],
  errors: [4040],
});

export const listAgentKeys = defineOperation({
  id: 'agents.keys',
  summary: 'Your personal keys for MCP clients, the newest first; those that were revoked stay listed for a while',
  method: 'GET',
  path: '/account/agent-keys',
  access: 'account',
  query: Type.Object(CursorQuery),
  output: Type.Object({ keys: Type.Array(AgentKey), next_cursor: NextCursor }),
  statuses: [200],
  errors: [],
});

export const revokeAgentKey = defineOperation({
  id: 'agents.revokeKey',
  summary: 'Revoke a personal key; it works no more from now on',
  method: 'DELETE',
  path: '/account/agent-keys/{key_id}',
  access: 'account',
  params: Type.Object({ key_id: Uuid }),
  output: AgentKey,
  statuses: [200],
  errors: [4040],
});

/** Letters, or the address of a document. */
const ClientId = Type.String({ maxLength: LIMITS.agentClientIdLength });

const ClientHost = Nullable(
  Type.String({
    description:
      'The host that publishes what the program says of itself, which is certain; null for one that registered',
  }),
);

export const getAgentClient = defineOperation({
  id: 'agents.client',
  summary: 'What a program that wants to be connected says of itself',
  method: 'GET',
  path: '/account/agent-client',
  access: 'account',
  query: Type.Object({ client_id: ClientId }),
  output: Type.Object({
    client_id: Type.String(),
    name: Nullable(Foreign(Type.String())),
    uri: Nullable(Foreign(Type.String())),
    host: ClientHost,
  }),
  statuses: [200],
  errors: [4040],
});

export const AgentConnection = Type.Object({
  connection_id: Uuid,
  name: Foreign(Type.String({ description: 'What the program calls itself' })),
  uri: Nullable(Foreign(Type.String())),
  host: ClientHost,
  ...Reach,
  connected_at: Timestamp,
  last_used_at: Nullable(Timestamp),
});

export const connectAgent = defineOperation({
  id: 'agents.connect',
  summary: 'Say what a program may do once your consent is complete; ends what the same program was allowed before',
  method: 'POST',
  path: '/account/agent-connections',
  access: 'account',
  body: Type.Object({ client_id: ClientId, ...AskedReach }),
  output: AgentConnection,
  statuses: [201],
  errors: [4040],
});

export const listAgentConnections = defineOperation({
  id: 'agents.connections',
  summary: 'The programs that you let act for you, the newest first',
  method: 'GET',
  path: '/account/agent-connections',
  access: 'account',
  query: Type.Object(CursorQuery),
  output: Type.Object({ connections: Type.Array(AgentConnection), next_cursor: NextCursor }),
  statuses: [200],
  errors: [],
});

export const disconnectAgent = defineOperation({
  id: 'agents.disconnect',
  summary: 'End a program’s right to act for you, at once',
  method: 'DELETE',
  path: '/account/agent-connections/{connection_id}',
  access: 'account',
  params: Type.Object({ connection_id: Uuid }),
  output: Type.Object({ disconnected: Type.Boolean() }),
  statuses: [200],
  errors: [4040],
});

export const AgentCall = Type.Object({
  call_id: Uuid,
  at: Timestamp,
  user: Type.String({ description: 'For whom it was called: a name' }),
  agent: Type.Object({
    kind: Type.Enum(['key', 'connection']),
    id: Uuid,
    name: Foreign(Type.String()),
  }),
  tool: Type.String(),
  outcome: Type.Integer({ description: 'The code of the error, or 4214 for what waits for approval; 0 for neither' }),
  milliseconds: Type.Integer(),
});

const CallsQuery = {
  failed: Type.Optional(Type.Enum(['only'], { description: 'Only those that answered an error' })),
  ...CursorQuery,
};

export const listAgentCalls = defineOperation({
  id: 'agents.calls',
  summary: 'What programs called about a game over MCP, the newest first; for its owner',
  method: 'GET',
  path: '/games/{uid}/agent-calls',
  access: 'account',
  params: GameParams,
  query: Type.Object(CallsQuery),
  output: Type.Object({ calls: Type.Array(AgentCall), next_cursor: NextCursor }),
  statuses: [200],
  errors: [4031, 4040],
});

export const OwnAgentCall = Type.Object({
  ...AgentCall.properties,
  game: Nullable(
    Type.Object(
      { game_uid: Uuid, slug: Type.String(), name: Type.String() },
      { description: 'The game that it was about; null for none, and for one that you do not own or administer' },
    ),
  ),
});

export const listOwnAgentCalls = defineOperation({
  id: 'agents.ownCalls',
  summary: 'What programs called for you over MCP, also about no game or one that is not yours, the newest first',
  method: 'GET',
  path: '/account/agent-calls',
  access: 'account',
  query: Type.Object(CallsQuery),
  output: Type.Object({ calls: Type.Array(OwnAgentCall), next_cursor: NextCursor }),
  statuses: [200],
  errors: [],
});
