-- The browsers in which a person has signed in, so that a sign-in from another one is reported by mail.

create table user_browsers (
  browser_id uuid primary key,
  user_id text not null references users on delete cascade,
  -- SHA-256 of its cookie; null for browsers of sessions from before this migration.
  cookie_hash bytea,
  user_agent text not null,
  network text not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null
);
create index user_browsers_by_user on user_browsers (user_id, last_seen_at);

insert into user_browsers (browser_id, user_id, user_agent, network, first_seen_at, last_seen_at)
  select gen_random_uuid(), user_id, coalesce(user_agent, ''), regexp_replace(ip_address, '\.\d+$', ''), min(created_at),
    max(updated_at)
  from user_sessions where ip_address ~ '^\d+\.\d+\.\d+\.\d+$'
  group by user_id, coalesce(user_agent, ''), regexp_replace(ip_address, '\.\d+$', '');
