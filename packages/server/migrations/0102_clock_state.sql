-- When the clock was last read before something was deleted for its age, and since when it has not jumped.
create table clock_state (
  is_only boolean primary key default true check (is_only),
  read_at timestamptz not null,
  steady_since timestamptz not null
);
