-- The game that operators feature on the home page, and what browse sorts by that is not in the games themselves.
create table featured_game (
  -- There is at most one.
  is_only boolean primary key default true check (is_only),
  game_id uuid not null references all_games on delete cascade,
  chosen_at timestamptz not null default now()
);

-- A job counts them each hour.
create table recent_downloads (
  game_id uuid primary key references all_games on delete cascade,
  count bigint not null
);
