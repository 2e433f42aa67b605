-- The audit log: one row for each change by people, agents, keys and operators.

create table audit_entries (
  -- Its time is that of the change, so the newest entries are last.
  entry_id uuid primary key,
  -- An operation of the contract, an account route such as auth.signIn, or a command such as admin.keyIssue.
  operation text not null,
  actor_kind text not null check (actor_kind in
    ('user', 'agent', 'operator', 'deploy_key', 'upload_token', 'cli_login', 'server', 'anonymous')),
  -- The id of the account or of the upload token.
  actor_id text,
  actor_name text not null,
  -- The name of the agent, or the reference of the key or login.
  via text,
  -- Not a foreign key: entries outlive the game, so that its deletion stays on record.
  about_game uuid,
  game_name text,
  -- Ids of what was changed, and fields of the request that are numbers, flags, ids or listed values.
  details jsonb not null,
  -- { field: { "before": …, "after": … } }
  changes jsonb not null,
  -- The code of an error after which a part of the change may have been kept; 0 for none.
  outcome integer not null,
  address text,
  client text
);
create index audit_entries_by_game on audit_entries (about_game, entry_id) where about_game is not null;
create index audit_entries_by_actor on audit_entries (actor_id, entry_id) where actor_id is not null;
