-- Games, their admins and their deploy keys. game_id is the public game uid and leads every key of tenant data.

create table games (
  game_id uuid primary key,
  owner_id text not null references users,
  name text not null,
  slug text not null unique,
  visibility text not null check (visibility in ('public', 'invisible', 'draft')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index games_by_owner on games (owner_id);

create table game_admins (
  game_id uuid not null references games on delete cascade,
  user_id text not null references users on delete cascade,
  added_at timestamptz not null default now(),
  primary key (game_id, user_id)
);
create index game_admins_by_user on game_admins (user_id);

create table deploy_keys (
  game_id uuid not null references games on delete cascade,
  key_id uuid not null,
  -- First 8 characters of the access token: enough to recognise a key, too few to use it.
  key_ref text not null,
  token_hash bytea not null unique,
  secret_hash bytea not null,
  issued_by text not null,
  issued_at timestamptz not null default now(),
  revoked_at timestamptz,
  last_used_at timestamptz,
  primary key (game_id, key_id)
);
-- One key at a time: issuing revokes all earlier ones.
create unique index deploy_keys_one_valid on deploy_keys (game_id) where revoked_at is null;
