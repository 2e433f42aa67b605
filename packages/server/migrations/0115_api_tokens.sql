-- API tokens, with which scripts call the API for a person.
create table api_tokens (
  token_id uuid primary key,
  user_id text not null references users (id) on delete cascade,
  token_ref text not null,
  token_hash bytea not null unique,
  name text not null,
  scopes text[] not null,
  game_id uuid references all_games (game_id) on delete cascade,
  -- How the session was started in which it was created.
  sign_in_method text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz,
  last_used_from text,
  revoked_at timestamptz,
  -- When the person was reminded of the expiry.
  reminded_at timestamptz
);
create index api_tokens_by_user on api_tokens (user_id, token_id);
create index api_tokens_by_game on api_tokens (game_id);
create index api_tokens_by_expiry on api_tokens (expires_at);
alter table audit_entries drop constraint audit_entries_actor_kind_check;
alter table audit_entries add constraint audit_entries_actor_kind_check check (actor_kind in
  ('user', 'agent', 'operator', 'deploy_key', 'upload_token', 'cli_login', 'api_token', 'server', 'anonymous')) not valid;
