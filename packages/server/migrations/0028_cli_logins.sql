-- Sign-in for the chauffeur command: requests that wait for a person, and the logins that people approved.

create table cli_login_requests (
  request_id uuid primary key,
  device_hash bytea not null unique,
  user_code_hash bytea not null unique,
  -- As reported by the command, which can claim anything.
  host text not null,
  os text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  polled_at timestamptz,
  -- Seconds that the command has to wait between two polls.
  poll_seconds integer not null,
  -- The decision of a person; null while the request is pending.
  approved boolean,
  user_id text references users on delete cascade,
  -- The only game of the login; null for all games of the person.
  game_id uuid references all_games on delete cascade,
  check ((approved is null) = (user_id is null))
);
create index cli_login_requests_by_game on cli_login_requests (game_id) where game_id is not null;
create index cli_login_requests_by_user on cli_login_requests (user_id) where user_id is not null;
create index cli_login_requests_by_expiry on cli_login_requests (expires_at);

create table cli_logins (
  login_id uuid primary key,
  user_id text not null references users on delete cascade,
  -- The beginning of the key.
  key_ref text not null,
  key_hash bytea not null unique,
  host text not null,
  os text not null,
  -- The only game that it has access to; null for all games of the person.
  game_id uuid references all_games on delete cascade,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  revoked_at timestamptz
);
create index cli_logins_by_user on cli_logins (user_id, login_id);
create index cli_logins_by_game on cli_logins (game_id) where game_id is not null;

-- Who opened the session, for the file that it becomes. Null stands for the deploy key in key_ref, as the previous version writes it.
alter table upload_sessions add column origin jsonb;
