-- Bug tickets that players file.

create table bug_tickets (
  game_id uuid not null references games on delete cascade,
  bug_id uuid not null,
  -- Who filed it; null once the account is gone.
  user_id text references users on delete set null,
  filed_by text not null,
  status text not null default 'open' check (status in ('open', 'fixed', 'closed')),
  message text not null,
  build_id uuid,
  os text,
  arch text,
  crash_id uuid,
  filed_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (game_id, bug_id)
);
create index bug_tickets_by_player on bug_tickets (user_id, filed_at);
create index bug_tickets_by_status on bug_tickets (game_id, status, bug_id desc);
