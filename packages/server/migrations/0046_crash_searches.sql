-- Searches of crashes that members saved for all members of a game.

create table crash_searches (
  game_id uuid not null references all_games on delete cascade,
  search_id uuid not null,
  name text not null,
  query text not null,
  view text not null check (view in ('groups', 'reports')),
  -- The name of the person, at that time.
  created_by text not null,
  primary key (game_id, search_id)
);
