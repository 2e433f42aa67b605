-- Programs that act for people: their keys and connections, what they called, and the OAuth server by which they connect.

create table agent_keys (
  key_id uuid primary key,
  user_id text not null references users on delete cascade,
  -- The beginning of the key, by which it is known.
  key_ref text not null,
  token_hash bytea not null unique,
  name text not null,
  may_write boolean not null,
  -- The only game that it reaches; null for all of the person's.
  game_id uuid references games on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index agent_keys_by_user on agent_keys (user_id, key_id);

-- One row for each call; the id tells the time, so that the oldest lie together.
create table agent_calls (
  call_id uuid primary key,
  user_id text not null references users on delete cascade,
  -- Null where the call was about no game that its caller may see.
  game_id uuid references games on delete cascade,
  agent_kind text not null check (agent_kind in ('key', 'connection')),
  agent_id uuid not null,
  agent_name text not null,
  tool text not null,
  -- The code of the error, or 4214 for what waits for approval; 0 for neither.
  outcome integer not null,
  milliseconds integer not null
);
create index agent_calls_by_game on agent_calls (game_id, call_id) where game_id is not null;
create index agent_calls_by_user on agent_calls (user_id, call_id);

-- The columns of the tables below are those that better-auth's OAuth provider keeps, in this database's manner of naming.

create table oauth_signing_keys (
  id text primary key,
  public_key text not null,
  private_key text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  alg text,
  crv text
);

create table oauth_clients (
  id text primary key,
  client_id text not null unique,
  client_secret text,
  client_discovery_id text,
  disabled boolean default false,
  skip_consent boolean,
  enable_end_session boolean,
  subject_type text,
  scopes jsonb,
  client_credentials_scopes jsonb,
  user_id text references users on delete cascade,
  created_at timestamptz,
  updated_at timestamptz,
  name text,
  uri text,
  icon text,
  contacts jsonb,
  tos text,
  policy text,
  software_id text,
  software_version text,
  software_statement text,
  redirect_uris jsonb not null,
  post_logout_redirect_uris jsonb,
  backchannel_logout_uri text,
  backchannel_logout_session_required boolean,
  token_endpoint_auth_method text,
  application_type text,
  jwks text,
  jwks_uri text,
  grant_types jsonb,
  response_types jsonb,
  require_pkce boolean,
  dpop_bound_access_tokens boolean default false,
  reference_id text,
  metadata jsonb
);
create index oauth_clients_by_user on oauth_clients (user_id);

create table oauth_resources (
  id text primary key,
  identifier text not null unique,
  name text not null,
  access_token_ttl integer,
  refresh_token_ttl integer,
  signing_algorithm text,
  signing_key_id text,
  allowed_scopes jsonb,
  custom_claims jsonb,
  dpop_bound_access_tokens_required boolean default false,
  disabled boolean default false,
  created_at timestamptz,
  updated_at timestamptz,
  policy_version integer default 1,
  metadata jsonb
);

create table oauth_client_resources (
  id text primary key,
  client_id text not null references oauth_clients (client_id) on delete cascade,
  resource_id text not null references oauth_resources (identifier) on delete cascade,
  metadata jsonb,
  created_at timestamptz,
  unique (client_id, resource_id)
);
create index oauth_client_resources_by_resource on oauth_client_resources (resource_id);

create table oauth_refresh_tokens (
  id text primary key,
  token text not null unique,
  client_id text not null references oauth_clients (client_id) on delete cascade,
  session_id text references user_sessions on delete set null,
  user_id text not null references users on delete cascade,
  -- The connection that it keeps up.
  reference_id text,
  authorization_code_id text,
  resources jsonb,
  requested_user_info_claims jsonb,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  revoked timestamptz,
  rotated_at timestamptz,
  rotation_replay_response text,
  rotation_replay_expires_at timestamptz,
  auth_time timestamptz,
  confirmation jsonb,
  scopes jsonb not null
);
create index oauth_refresh_tokens_by_client on oauth_refresh_tokens (client_id);
create index oauth_refresh_tokens_by_session on oauth_refresh_tokens (session_id);
create index oauth_refresh_tokens_by_user on oauth_refresh_tokens (user_id);
create index oauth_refresh_tokens_by_reference on oauth_refresh_tokens (reference_id);
create index oauth_refresh_tokens_by_code on oauth_refresh_tokens (authorization_code_id);

create table oauth_access_tokens (
  id text primary key,
  token text not null unique,
  client_id text not null references oauth_clients (client_id) on delete cascade,
  session_id text references user_sessions on delete set null,
  user_id text references users on delete cascade,
  reference_id text,
  authorization_code_id text,
  resources jsonb,
  requested_user_info_claims jsonb,
  refresh_id text references oauth_refresh_tokens on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  revoked timestamptz,
  confirmation jsonb,
  scopes jsonb not null
);
create index oauth_access_tokens_by_client on oauth_access_tokens (client_id);
create index oauth_access_tokens_by_session on oauth_access_tokens (session_id);
create index oauth_access_tokens_by_user on oauth_access_tokens (user_id);
create index oauth_access_tokens_by_refresh on oauth_access_tokens (refresh_id);
create index oauth_access_tokens_by_code on oauth_access_tokens (authorization_code_id);

create table oauth_consents (
  id text primary key,
  client_id text not null references oauth_clients (client_id) on delete cascade,
  user_id text references users on delete cascade,
  -- The connection that was agreed to.
  reference_id text,
  resources jsonb,
  requested_user_info_claims jsonb,
  scopes jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index oauth_consents_by_client on oauth_consents (client_id);
create index oauth_consents_by_user on oauth_consents (user_id);

create table oauth_client_assertions (
  id text primary key,
  expires_at timestamptz not null
);

-- A program that a person let act for them, on the consent page.
create table agent_connections (
  connection_id uuid primary key,
  user_id text not null references users on delete cascade,
  client_id text not null references oauth_clients (client_id) on delete cascade,
  may_write boolean not null,
  -- The only game that it reaches; null for all of the person's.
  game_id uuid references games on delete cascade,
  connected_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index agent_connections_by_user on agent_connections (user_id, connection_id);
create index agent_connections_by_client on agent_connections (client_id);
