-- What the service keeps for itself: its secret, its living processes, its counters.

create table service_secrets (
  name text primary key,
  value text not null,
  created_at timestamptz not null default now()
);

create sequence process_numbers as integer cycle;

-- A row whose advisory lock nobody holds is a process that died.
create table processes (
  process_no integer primary key,
  role text not null,
  worker_ids text[] not null default '{}',
  started_at timestamptz not null default now()
);

create table rate_counters (
  subject text not null,
  name text not null,
  window_start timestamptz not null,
  used integer not null,
  primary key (subject, name, window_start)
);
create index rate_counters_by_window on rate_counters (window_start);
