-- Second factors, passkeys, how a session was started, and disabled accounts.

-- Whether the codes of an authenticator app are asked for.
alter table users add column two_factor_enabled boolean not null default false;
-- A disabled account cannot sign in, and none of its credentials work.
alter table users add column disabled_at timestamptz;

-- Null for sessions from before this migration.
alter table user_sessions add column sign_in_method text;

create table user_two_factors (
  id text primary key,
  user_id text not null unique references users on delete cascade,
  -- Encrypted with the secret of the service, like the codes.
  secret text not null,
  backup_codes text not null,
  -- False until the person has entered a first code.
  verified boolean not null default false,
  failed_verification_count integer not null default 0,
  locked_until timestamptz
);

create table user_passkeys (
  id text primary key,
  user_id text not null references users on delete cascade,
  name text,
  public_key text not null,
  credential_id text not null unique,
  counter bigint not null,
  device_type text not null,
  backed_up boolean not null,
  transports text,
  created_at timestamptz not null default now(),
  aaguid text
);
create index user_passkeys_by_user on user_passkeys (user_id);

-- An account of the operator's sign-on service belongs to one account here.
create unique index user_credentials_by_provider on user_credentials (provider_id, account_id)
  where provider_id <> 'credential';
