// Agents that act for a person over MCP: personal keys, programs connected by OAuth, and the calls they made.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { CursorQuery, Foreign, GameParams, GameRef, Line, NextCursor, Nullable, Timestamp, Uuid } from './fields.ts';

export const AGENT_KEY_PREFIX = 'chf_mcp_';

/** What the agent may do, and with which games. */
const Permissions = {
  may_write: Type.Boolean({ description: 'Whether it may make changes; otherwise it has read access only' }),
  game: Nullable(
    Type.Object(
      { game_uid: Uuid, slug: Type.String(), name: Type.String() },
      { description: 'The only game it has access to; null for all of your games' },
    ),
  ),
};

const RequestedPermissions = {
  may_write: Permissions.may_write,
  game: Type.Optional({ ...GameRef, description: 'The only game it gets access to; all of your games if omitted' }),
};

export const AgentKey = Type.Object({
  key_id: Uuid,
  key_ref: Type.String({ description: 'The first characters of the key' }),
  name: Type.String(),
  ...Permissions,
  created_at: Timestamp,
  expires_at: Nullable(Timestamp),
  last_used_at: Nullable(Timestamp),
  revoked_at: Nullable(Timestamp),
});

export const createAgentKey = defineOperation({
  id: 'agents.createKey',
  summary: 'Create a personal key for MCP clients; the key is shown once',
  method: 'POST',
  path: '/account/agent-keys',
  access: 'account',
  role: 'viewer',
  body: Type.Object({
    name: Line('name to recognize the key by', { minLength: 1, maxLength: LIMITS.agentNameLength }),
    ...RequestedPermissions,
    expires_in_days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LIMITS.agentKeyDays, description: 'Never expires if omitted' }),
    ),
  }),
  output: Type.Object({ ...AgentKey.properties, key: Type.String({ description: 'The key' }) }),
  secret: true,
  statuses: [201],
  errors: ['notFound'],
});

export const listAgentKeys = defineOperation({
  id: 'agents.keys',
  summary: 'List your personal keys for MCP clients, newest first, including recently revoked ones',
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
  summary: 'Revoke a personal key; it stops working immediately',
  method: 'DELETE',
  path: '/account/agent-keys/{key_id}',
  access: 'account',
  params: Type.Object({ key_id: Uuid }),
  output: AgentKey,
  statuses: [200],
  errors: ['notFound'],
});

/** An identifier, or the URL of a client metadata document. */
const ClientId = Type.String({ maxLength: LIMITS.agentClientIdLength });

const ClientHost = Nullable(
  Type.String({
    description: "The verified host that publishes the program's details; null for a program that registered itself",
  }),
);

export const getAgentClient = defineOperation({
  id: 'agents.client',
  summary: 'Get the self-reported details of a program that asks to be connected',
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
  errors: ['notFound'],
});

export const AgentConnection = Type.Object({
  connection_id: Uuid,
  name: Foreign(Type.String({ description: 'The name the program gave itself' })),
  uri: Nullable(Foreign(Type.String())),
  host: ClientHost,
  ...Permissions,
  connected_at: Timestamp,
  last_used_at: Nullable(Timestamp),
});

export const connectAgent = defineOperation({
  id: 'agents.connect',
  summary: 'Set what a program may do when you complete the consent; replaces its earlier permissions',
  method: 'POST',
  path: '/account/agent-connections',
  access: 'account',
  role: 'viewer',
  body: Type.Object({ client_id: ClientId, ...RequestedPermissions }),
  output: AgentConnection,
  statuses: [201],
  errors: ['notFound'],
});

export const listAgentConnections = defineOperation({
  id: 'agents.connections',
  summary: 'List the programs that act for you, newest first',
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
  summary: 'Disconnect a program; it loses access immediately',
  method: 'DELETE',
  path: '/account/agent-connections/{connection_id}',
  access: 'account',
  params: Type.Object({ connection_id: Uuid }),
  output: Type.Object({ disconnected: Type.Boolean() }),
  statuses: [200],
  errors: ['notFound'],
});

export const AgentCall = Type.Object({
  call_id: Uuid,
  at: Timestamp,
  user: Type.String({ description: 'Name of the person the agent acted for' }),
  agent: Type.Object({
    kind: Type.Enum(['key', 'connection']),
    id: Uuid,
    name: Foreign(Type.String()),
  }),
  tool: Type.String(),
  outcome: Type.Integer({ description: 'Error code; 4214 if the change is waiting for approval, 0 on success' }),
  milliseconds: Type.Integer(),
});

const CallsQuery = {
  failed: Type.Optional(Type.Enum(['only'], { description: 'Only calls that returned an error' })),
  ...CursorQuery,
};

export const listAgentCalls = defineOperation({
  id: 'agents.calls',
  summary: 'List the MCP calls about a game, newest first; owners only',
  method: 'GET',
  path: '/games/{uid}/agent-calls',
  access: 'account',
  role: 'owner',
  params: GameParams,
  query: Type.Object(CallsQuery),
  output: Type.Object({ calls: Type.Array(AgentCall), next_cursor: NextCursor }),
  statuses: [200],
  errors: ['notAllowed', 'notFound'],
});

export const OwnAgentCall = Type.Object({
  ...AgentCall.properties,
  game: Nullable(
    Type.Object(
      { game_uid: Uuid, slug: Type.String(), name: Type.String() },
      { description: 'The game of the call; null if it had none, or one that you are not a member of' },
    ),
  ),
});

export const listOwnAgentCalls = defineOperation({
  id: 'agents.ownCalls',
  summary: 'List the MCP calls made for you, newest first, including those without a game',
  method: 'GET',
  path: '/account/agent-calls',
  access: 'account',
  query: Type.Object(CallsQuery),
  output: Type.Object({ calls: Type.Array(OwnAgentCall), next_cursor: NextCursor }),
  statuses: [200],
  errors: [],
});
