-- Named tokens that upload like a deploy key, each with scopes and an expiry.

create table upload_tokens (
  game_id uuid not null references all_games on delete cascade,
  token_id uuid not null,
  -- First 8 characters of the access token, as for deploy keys.
  key_ref text not null,
  token_hash bytea not null unique,
  secret_hash bytea not null,
  name text not null,
  scopes text[] not null,
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  last_used_from text,
  primary key (game_id, token_id)
);
