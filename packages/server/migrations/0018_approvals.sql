-- Changes that wait for the owner of a game, builds that are gone, and who operates the service.

create table approvals (
  game_id uuid not null references games on delete cascade,
  approval_id uuid not null,
  action text not null check (action in ('promote_build', 'delete_build')),
  -- What is to be done, in one way of writing it, so that the same request is known again.
  input jsonb not null,
  -- What the change was asked upon, such as the last move of the channel: when that is another, nothing is done.
  basis jsonb not null,
  -- In one line, with the names that things had.
  summary text not null,
  -- The owner who was asked; another owner is to be asked anew.
  owner_id text not null,
  -- Null once the account is gone.
  asker_id text references users on delete set null,
  asked_by text not null,
  -- The agent or token that asked.
  via text not null,
  idempotency_key text,
  -- HMAC of the code in the mail, keyed by the service's secret: six digits alone are guessed from any other hash.
  code_hash bytea not null,
  -- Codes tried, right or wrong.
  tries integer not null default 0,
  state text not null default 'pending' check (state in ('pending', 'approved', 'denied')),
  asked_at timestamptz not null,
  expires_at timestamptz not null,
  decided_at timestamptz,
  decided_by text,
  -- What the change answered.
  result jsonb,
  primary key (game_id, approval_id),
  check ((state = 'pending') = (decided_at is null)),
  check ((state = 'approved') = (result is not null))
);
create unique index approvals_by_id on approvals (approval_id);
create unique index approvals_by_key on approvals (game_id, asker_id, action, idempotency_key) where idempotency_key is not null;
create index approvals_open on approvals (game_id, expires_at) where state <> 'approved';
create index approvals_by_asker on approvals (asker_id);

-- What a deleted build was called, for the history of channels, crash groups and tickets that name it.
create table deleted_builds (
  game_id uuid not null references games on delete cascade,
  build_id uuid not null,
  version text not null,
  os text not null,
  arch text not null,
  created_at timestamptz not null,
  deleted_at timestamptz not null,
  deleted_by text not null,
  primary key (game_id, build_id)
);

create view build_names as
  select game_id, build_id, version, os, arch, created_at, false as deleted from builds
  union all
  select game_id, build_id, version, os, arch, created_at, true as deleted from deleted_builds;

-- A channel keeps its history when a build of it is deleted, and says there that it was.
alter table channel_moves
  drop constraint channel_moves_game_id_build_id_fkey,
  drop constraint channel_moves_action_check,
  add constraint channel_moves_action_check check (action in ('advance', 'promote', 'rollback', 'delete'));

-- Who may see how the service itself is doing.
alter table users add column operator boolean not null default false;
